export { anthropicMessagesRules, judgeAnthropicMessages } from './rules/anthropic-messages/judge.ts';
export { prefixDigest } from './rules/anthropic-messages/prefix.ts';
export { googleGenerateContentRules, judgeGoogleGenerateContent } from './rules/google-generatecontent/judge.ts';
export { judgeOpenAIChat, openAIChatRules } from './rules/openai-chat/judge.ts';
export { judgeOpenAIResponses, openAIResponsesRules } from './rules/openai-responses/judge.ts';
export type { Issued, Judge, JudgedRequest, Memory, Refusal, Settings, Verdict } from './rules/verdict.ts';
