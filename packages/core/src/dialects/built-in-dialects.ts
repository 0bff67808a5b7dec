// The built-in dialects. Node's build has `on-demand.ts` in the place of this file.
import { type Dialect, makeDialect } from './dialect.ts';

// Imported behind the code that all protocols share, so that it comes first in a bundle: gzip looks back only 32 kB.

import { anthropicMessagesSpec } from './anthropic-messages/index.ts';
import { blocksSpec } from './blocks/index.ts';
import { googleGenerateContentSpec } from './google-generatecontent/index.ts';
import { openaiChatSpec } from './openai-chat/index.ts';
import { openaiResponsesSpec } from './openai-responses/index.ts';

/** OpenAI's Chat Completions API, which many other providers speak, too. */
export const openaiChat: Dialect = /* @__PURE__ */ makeDialect(openaiChatSpec);
/** OpenAI's Responses API. */
export const openaiResponses: Dialect = /* @__PURE__ */ makeDialect(openaiResponsesSpec);
/** Anthropic's Messages API. */
export const anthropicMessages: Dialect = /* @__PURE__ */ makeDialect(anthropicMessagesSpec);
/** Google's `generateContent` API of the Gemini models. */
export const googleGenerateContent: Dialect = /* @__PURE__ */ makeDialect(googleGenerateContentSpec);
/** Skein's own content-block JSON, in which `user`, `assistant` and the like write messages. */
export const blocks: Dialect = /* @__PURE__ */ makeDialect(blocksSpec);
