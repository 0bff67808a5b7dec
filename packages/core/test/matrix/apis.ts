/** The APIs: how core writes for each, who judges it, and models from old to new. */
import { anthropicMessages, type Dialect, googleGenerateContent, openaiChat, openaiResponses } from '@skein/core';
import { googleInteractions } from '@skein/core/dialect';
import {
  type Judge,
  judgeAnthropicMessages,
  judgeGoogleGenerateContent,
  judgeGoogleInteractions,
  judgeOpenAIChat,
  judgeOpenAIResponses,
} from '@skein/emulator';

export interface Api {
  readonly id: ApiId;
  readonly dialect: Dialect;
  readonly judge: Judge;
  readonly models: readonly [oldest: string, ...newer: string[]];
}

export type ApiId =
  | 'anthropic-messages'
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
};

const interactions: Api = {
  id: 'google-interactions',
  dialect: googleInteractions,
  judge: judgeGoogleInteractions,
  models: ['gemini-2.5-flash', 'gemini-3.6-flash'],
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

export const APIS: readonly Api[] = [anthropic, google, interactions, chat, responses];

export const newest = (api: Api): string => api.models.at(-1)!;
