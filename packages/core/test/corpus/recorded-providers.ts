import type { AnyProtocol } from './recordings.ts';

/** Which recordings show what a provider of ours does; the others are data only. */
export const RECORDED: readonly (readonly [provider: string, protocol: AnyProtocol, recordedAs: string])[] = [
  ['openai', 'openai-responses', 'openai'],
  ['openai-chat', 'openai-chat', 'openai'],
  ['anthropic', 'anthropic-messages', 'anthropic'],
  ['google', 'google-generatecontent', 'google'],
  ['google-interactions', 'google-interactions', 'google'],
  ['bedrock', 'bedrock-converse', 'bedrock'],
  ['cohere', 'cohere-chat', 'cohere'],
  ['azure-openai', 'openai-responses', 'azure'],
  ['openrouter', 'openai-chat', 'openrouter'],
  ['deepseek', 'openai-chat', 'deepseek'],
  ['xai', 'openai-chat', 'xai'],
  ['groq', 'openai-chat', 'groq'],
  ['mistral', 'openai-chat', 'mistral'],
  ['cerebras', 'openai-chat', 'cerebras'],
  ['zai', 'openai-chat', 'zai'],
  ['ollama', 'openai-chat', 'ollama'],
];
