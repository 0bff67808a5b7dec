export type { ConfigDelta, ConversationConfig } from './config.ts';
export { Conversation, type ConversationOptions } from './conversation.ts';
export type { Delta } from './delta.ts';
export { ConversationConfigurationError, DeltaApplicationError, NoAnswerError } from './errors.ts';
export type { Sink, Source } from './sink.ts';
export type { Asking } from './step-options.ts';
