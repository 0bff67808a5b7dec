export { Chat } from './chat.ts';
export type { Discarded, DiscardReason } from './state.ts';
export { ConversationStateError } from './state-error.ts';
export type { ChatEvent, ChatOptions, ChatResult, ChatRun } from './types.ts';
