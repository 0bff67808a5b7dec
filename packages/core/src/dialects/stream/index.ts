export { NO_EVENTS, readEvent } from './assembler.ts';
export { errorEvent, errorMessage } from './error-event.ts';
export type { StreamEvent } from './events.ts';
export { escapedPiece } from './piece.ts';
export { UnreadEvents } from './unread.ts';
export { COUNT, pieceOf, STRING, usualParts } from './usual.ts';
