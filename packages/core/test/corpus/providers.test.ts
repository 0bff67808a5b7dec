import { describe, expect, it } from 'vitest';
import { dialect, type ProviderDescriptor, provider, type Reply, toolResult, user } from '../../src/index.ts';
import { eventsOf } from './events-of.ts';
import { type Exchange, exchanges, hasCorpus, type Protocol } from './recordings.ts';

/** Which recordings show what a provider of ours does; the others are data only. */
const RECORDED: readonly (readonly [provider: string, protocol: Protocol, recordedAs: string])[] = [
  ['openai', 'openai-responses', 'openai'],
  ['openai-chat', 'openai-chat', 'openai'],
  ['anthropic', 'anthropic-messages', 'anthropic'],
  ['google', 'google-generatecontent', 'google'],
  ['azure-openai', 'openai-responses', 'azure'],
  ['openrouter', 'openai-chat', 'openrouter'],
  ['deepseek', 'openai-chat', 'deepseek'],
  ['xai', 'openai-chat', 'xai'],
  ['groq', 'openai-chat', 'groq'],
  ['mistral', 'openai-chat', 'mistral'],
  ['together', 'openai-chat', 'huggingface'],
  ['cerebras', 'openai-chat', 'cerebras'],
  ['zai', 'openai-chat', 'zai'],
  ['ollama', 'openai-chat', 'ollama'],
];
