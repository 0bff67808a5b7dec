import type { Protocol } from '../protocol.ts';
import { renderAnthropicMessages } from './anthropic-messages.ts';
import { renderGoogleGenerateContent } from './google-generatecontent.ts';
import { renderOpenAIChat } from './openai-chat.ts';
import { renderOpenAIResponses } from './openai-responses.ts';
import type { Renderer } from './rendered.ts';

export const renderers: Readonly<Record<Protocol, Renderer>> = {
  'anthropic-messages': renderAnthropicMessages,
  'openai-chat': renderOpenAIChat,
  'openai-responses': renderOpenAIResponses,
  'google-generatecontent': renderGoogleGenerateContent,
};
