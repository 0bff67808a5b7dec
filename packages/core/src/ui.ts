/**
 * For those who stream an answer to a page: writes what a reader is told of a turn as the UI message stream of the AI SDK.
 * `run(…).toResponse({ format: 'ui' })` uses it, and so do the routes of `@skein/forest`.
 */
export { MessageStreamWriter, type TurnEvent } from './run/ui-stream.ts';
