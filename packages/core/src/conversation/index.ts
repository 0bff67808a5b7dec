export * from './builder/index.ts';
export * from './chat/index.ts';
export { MessageListDeserializationError } from './list-error.ts';
export * from './live/index.ts';
export { MessageList } from './message-list.ts';
export type { ReadOptions } from './read-saved.ts';
export type { SavedMessage, SavedMessages } from './saved.ts';
