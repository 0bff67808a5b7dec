export { judgeAnthropicMessages } from './rules/anthropic-messages/judge.ts';
export { judgeGoogleGenerateContent } from './rules/google-generatecontent/judge.ts';
export { judgeOpenAIChat } from './rules/openai-chat/judge.ts';
export { judgeOpenAIResponses } from './rules/openai-responses/judge.ts';
export type { Issued, Judge, JudgedRequest, Memory, Refusal, Settings, Verdict } from './rules/verdict.ts';
