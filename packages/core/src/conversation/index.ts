/** Conversations that keep their messages: `Chat` (state in, state out), `llm` (a builder), `Conversation` and `MessageList`. */
export type { LlmBuilder } from './builder.ts';
export { Chat, type ChatEvent, type ChatOptions, type ChatResult, type ChatRun } from './chat.ts';
export {
  ConversationStateError,
  type DiscardedState,
  readChatState,
  type StateText,
} from './chat-state.ts';
export {
  type ConfigDelta,
  type ConversationConfig,
  ConversationConfigurationError,
  type Delta,
  DeltaApplicationError,
  NoAnswerError,
} from './config.ts';
export { Conversation, type ConversationOptions, llm, type Sink, type Source } from './conversation.ts';
export type { MediaInput, MediaOptions } from './media.ts';
export { MessageList } from './message-list.ts';
export type { ReadOptions } from './read-saved.ts';
export { MessageListDeserializationError, type SavedMessages } from './saved-messages.ts';
export type { TurnOptions } from './turn.ts';
