/** Strict local stand-ins for the OpenAI, Anthropic and Google APIs, for tests and demos. */
export { type Brain, type BrainRequest, echoBrain, type OfferedTool, type ToolResult } from './brain.ts';
export { demoBrain } from './demo.ts';
export { type Emulator, type EmulatorOptions, startEmulator } from './emulator.ts';
export { rawJson } from './json.ts';
export type { KnownValue } from './memory.ts';
export { type Protocol, protocols } from './protocol.ts';
export {
  type ConnectionFault,
  type ErrorReply,
  type ExtraEvent,
  type ExtraFields,
  type ImageBlock,
  type MessageReply,
  type NativeBlock,
  type RawReply,
  type RedactedThinkingBlock,
  type RefusalBlock,
  type Reply,
  type ReplyBlock,
  type RetryDelay,
  type Stop,
  type StreamError,
  says,
  type TextBlock,
  type ThinkingBlock,
  type ToolUseBlock,
  type Transport,
  type Usage,
} from './reply.ts';
export { anthropicMessagesRules, judgeAnthropicMessages } from './rules/anthropic-messages/judge.ts';
export { prefixDigest } from './rules/anthropic-messages/prefix.ts';
export { googleGenerateContentRules, judgeGoogleGenerateContent } from './rules/google-generatecontent/judge.ts';
export { judgeOpenAIChat, openAIChatRules } from './rules/openai-chat/judge.ts';
export { judgeOpenAIResponses, openAIResponsesRules } from './rules/openai-responses/judge.ts';
export type { IssuedValue, Judge, JudgedRequest, JudgeSettings, Memory, Refusal, Verdict } from './rules/verdict.ts';
export type { EmulatorSettings, Issuer, LogEntry, ServedResponse, Sleep } from './server/state.ts';
