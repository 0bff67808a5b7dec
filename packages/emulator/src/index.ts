export { type Brain, type BrainRequest, echoBrain, type OfferedTool, type ToolResult } from './brain/brain.ts';
export { demoBrain } from './brain/demo.ts';
export { rawJson } from './json.ts';
export type { Known } from './memory/memory.ts';
export { type Protocol, protocols } from './protocol.ts';
export {
  type ErrorReply,
  type ExtraEvent,
  type Extras,
  type ImageBlock,
  type MessageReply,
  type NativeBlock,
  type RawReply,
  type RedactedThinkingBlock,
  type RefusalBlock,
  type Reply,
  type ReplyBlock,
  type Stop,
  says,
  type TextBlock,
  type ThinkingBlock,
  type ToolUseBlock,
  type Usage,
} from './reply/reply.ts';
export type { Break, RetryAfter, StreamError, Transport } from './reply/transport.ts';
export { anthropicMessagesRules, judgeAnthropicMessages } from './rules/anthropic-messages/judge.ts';
export { prefixDigest } from './rules/anthropic-messages/prefix.ts';
export { googleGenerateContentRules, judgeGoogleGenerateContent } from './rules/google-generatecontent/judge.ts';
export { judgeOpenAIChat, openAIChatRules } from './rules/openai-chat/judge.ts';
export { judgeOpenAIResponses, openAIResponsesRules } from './rules/openai-responses/judge.ts';
export type { Issued, Judge, JudgedRequest, Memory, Refusal, Settings, Verdict } from './rules/verdict.ts';
export type { LogEntry, Served } from './server/log.ts';
export type { Sleep } from './server/send.ts';
export type { EmulatorSettings, Issuer } from './server/settings.ts';
export { type Emulator, type EmulatorOptions, startEmulator } from './start.ts';
