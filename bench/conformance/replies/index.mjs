import { replies as anthropicMessages } from './anthropic-messages.mjs';
import { replies as bedrockConverse } from './bedrock-converse.mjs';
import { replies as cohereChat } from './cohere-chat.mjs';
import { replies as googleGenerateContent } from './google-generatecontent.mjs';
import { replies as googleInteractions } from './google-interactions.mjs';
import { replies as openaiChat } from './openai-chat.mjs';
import { replies as openaiResponses } from './openai-responses.mjs';

/** The replies of each protocol: documented fields, unknown fields, and tool calls. */
export const REPLIES = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'google-generatecontent': googleGenerateContent,
  'google-interactions': googleInteractions,
  'bedrock-converse': bedrockConverse,
  'cohere-chat': cohereChat,
};

/** @typedef {keyof typeof REPLIES} Protocol */
/** @typedef {'known' | 'unknown' | 'calls'} CaseName */

export const PROTOCOLS = /** @type {readonly Protocol[]} */ (Object.keys(REPLIES));
export const CASES = /** @type {readonly CaseName[]} */ (['known', 'unknown', 'calls']);
