export { MessageList } from './message-list.ts';
export { MessageListDeserializationError, type ReadOptions } from './read-saved.ts';
export type { SavedMessage, SavedMessages } from './saved.ts';
