export { Chat } from './chat.ts';
export { type ReadState, readState as readChatState } from './read-state.ts';
export type { ChatState, Discarded, DiscardReason, StateText } from './state.ts';
export { ConversationStateError } from './state-error.ts';
export type { ChatEvent, ChatOptions, ChatResult, ChatRun } from './types.ts';
