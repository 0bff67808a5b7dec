export { blockEnd, type StreamEvent, toDelta } from './events.ts';
export { errorEvent, errorMessage, NO_EVENTS, readEvent, UnreadEvents } from './read-event.ts';
export { COUNT, escapedPiece, pieceOf, STRING, usualParts } from './text-pieces.ts';
