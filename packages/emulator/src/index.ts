/** Strict local stand-ins for the OpenAI, Anthropic and Google APIs, for tests and demos. */
export { type Brain, type BrainRequest, echoBrain, type OfferedTool, type ToolResult } from './brain.ts';
export { demoBrain } from './demo.ts';
export { type Emulator, type EmulatorOptions, startEmulator } from './emulator.ts';
export { rawJson } from './json.ts';
export type { KnownValue } from './memory.ts';
export { type Protocol, protocols } from './protocol.ts';
export {
  type BytesReply,
  type ConnectionFault,
  type ErrorReply,
  type ExtraEvent,
  type ExtraFields,
  type ImageReplyBlock,
  type MessageReply,
  type NativeReplyBlock,
  type RedactedThinkingReplyBlock,
  type RefusalReplyBlock,
  type ReplyBlock,
  type ReplyStop,
  type ReplyUsage,
  type RetryDelay,
  type ScriptedReply,
  type StreamError,
  says,
  type TextReplyBlock,
  type ThinkingReplyBlock,
  type ToolUseReplyBlock,
  type Transport,
} from './reply.ts';
export { anthropicMessagesRules, judgeAnthropicMessages } from './rules/anthropic-messages/judge.ts';
export { prefixDigest } from './rules/anthropic-messages/prefix.ts';
export { bedrockConverseRules, judgeBedrockConverse } from './rules/bedrock-converse/judge.ts';
export { cohereChatRules, judgeCohereChat } from './rules/cohere-chat/judge.ts';
export { googleGenerateContentRules, judgeGoogleGenerateContent } from './rules/google-generatecontent/judge.ts';
export { googleInteractionsRules, judgeGoogleInteractions } from './rules/google-interactions/judge.ts';
export { judgeOpenAIChat, openAIChatRules } from './rules/openai-chat/judge.ts';
export { judgeOpenAIResponses, openAIResponsesRules } from './rules/openai-responses/judge.ts';
export type { IssuedValue, Judge, JudgedRequest, JudgeSettings, Memory, Refusal, Verdict } from './rules/verdict.ts';
export type { AwsAccount } from './server/aws.ts';
export type { EmulatorSettings, Issuer, LogEntry, ServedResponse, Sleep } from './server/state.ts';
