/** The APIs: how core writes for each, who judges it, and models from old to new. */
import {
  anthropicMessages,
  type Dialect,
  googleGenerateContent,
  openaiChat,
  openaiResponses,
  type WriteRequest,
} from '@skein/core';
import { bedrockConverse, cohereChat, googleInteractions } from '@skein/core/dialect';
import {
  type Judge,
  type JudgedRequest,
  judgeAnthropicMessages,
  judgeBedrockConverse,
  judgeCohereChat,
  judgeGoogleGenerateContent,
  judgeGoogleInteractions,
  judgeOpenAIChat,
  judgeOpenAIResponses,
  type Memory,
  type Verdict,
} from '@skein/emulator';

export interface Api {
  readonly id: ApiId;
  readonly dialect: Dialect;
  readonly judge: Judge;
  readonly models: readonly [oldest: string, ...newer: string[]];
  /** The model is named in the path. */
  readonly isInPath?: true;
  /** What every request has: where calls need a list of tools, stand-ins for it would be sent from the first call on. */
  readonly always?: Pick<WriteRequest, 'tools'>;
}

export type ApiId =
  | 'anthropic-messages'
  | 'bedrock-converse'
  | 'cohere-chat'
  | 'google-generatecontent'
  | 'google-interactions'
  | 'openai-chat'
  | 'openai-responses';

export const anthropic: Api = {
  id: 'anthropic-messages',
  dialect: anthropicMessages,
  judge: judgeAnthropicMessages,
  models: ['claude-sonnet-4-5', 'claude-opus-4-8', 'claude-fable-5-1'],
};

export const google: Api = {
  id: 'google-generatecontent',
  dialect: googleGenerateContent,
  judge: judgeGoogleGenerateContent,
  models: ['gemini-2.5-flash', 'gemini-3-pro', 'gemini-3.6-pro'],
  isInPath: true,
};

export const interactions: Api = {
  id: 'google-interactions',
  dialect: googleInteractions,
  judge: judgeGoogleInteractions,
  models: ['gemini-2.5-flash', 'gemini-3.6-flash'],
};

export const bedrock: Api = {
  id: 'bedrock-converse',
  dialect: bedrockConverse,
  judge: judgeBedrockConverse,
  models: ['amazon.nova-lite-v1:0', 'us.anthropic.claude-opus-4-8'],
  isInPath: true,
  always: { tools: [{ name: 'lookup', parameters: { type: 'object' } }] },
};

export const cohere: Api = {
  id: 'cohere-chat',
  dialect: cohereChat,
  judge: judgeCohereChat,
  models: ['command-a-03-2025', 'command-a-reasoning-08-2025'],
};

export const chat: Api = {
  id: 'openai-chat',
  dialect: openaiChat,
  judge: judgeOpenAIChat,
  models: ['gpt-4o', 'gpt-5.2'],
};

export const responses: Api = {
  id: 'openai-responses',
  dialect: openaiResponses,
  judge: judgeOpenAIResponses,
  models: ['gpt-4o', 'gpt-5.2'],
};

export const APIS: readonly Api[] = [anthropic, google, interactions, chat, responses, bedrock, cohere];

/** How often a random test runs for each model, so that all together are as many, however many models there are. */
export const runsPerModel = (all: number): number => Math.ceil(all / APIS.flatMap(({ models }) => models).length);

/** Judges a body that was written for a model. */
export const judgeFor = (
  { judge, isInPath }: Api,
  model: string,
  body: string,
  memory?: Memory,
  more: Partial<JudgedRequest> = {},
): Verdict => judge({ body, ...(memory && { memory }), ...(isInPath && { model }), ...more });

export const newest = (api: Api): string => api.models.at(-1)!;
