/** The providers of the conversations: the seven APIs with models from old to new, clouds, and compatible providers. */
import type { Emulator, EmulatorOptions, Protocol } from '@skein/emulator';

export interface Place {
  readonly provider: string;
  readonly model: string;
  readonly protocol: Protocol;
  /** The model's name in its replies, if it differs. */
  readonly answersAs?: string;
  /** A compatible provider's path in the emulator. */
  readonly issuer?: string;
  readonly thinks: boolean;
  /** The upstreams of a router. */
  readonly upstreams?: readonly string[];
  /** Reasoning models of OpenAI take none; that is a choice of the caller. */
  readonly takesTemperature: boolean;
}

const claude = (model: string, answersAs?: string): Place => ({
  provider: 'anthropic',
  model,
  protocol: 'anthropic-messages',
  thinks: true,
  takesTemperature: true,
  ...(answersAs && { answersAs }),
});

const gemini = (model: string, thinks = true): Place => ({
  provider: 'google',
  model,
  protocol: 'google-generatecontent',
  thinks,
  takesTemperature: true,
});

const gpt = (provider: 'openai' | 'openai-chat', model: string): Place => ({
  provider,
  model,
  protocol: provider === 'openai' ? 'openai-responses' : 'openai-chat',
  thinks: provider === 'openai' && model !== 'gpt-4o',
  takesTemperature: model === 'gpt-4o',
});

/** A model that another provider than its maker serves, or one of the other APIs. */
const other = (provider: string, model: string, protocol: Protocol, thinks = true): Place => ({
  provider,
  model,
  protocol,
  thinks,
  takesTemperature: true,
});

const compatible = (provider: string, model: string, more: Partial<Place> = {}): Place => ({
  provider,
  model,
  protocol: 'openai-chat',
  issuer: provider,
  thinks: true,
  takesTemperature: true,
  ...more,
});

export const PLACES: readonly Place[] = [
  claude('claude-3-7-sonnet-latest', 'claude-3-7-sonnet-20250219'),
  claude('claude-sonnet-4-0', 'claude-sonnet-4-20250514'),
  claude('claude-sonnet-4-5'),
  claude('claude-opus-4-6'),
  claude('claude-opus-4-8'),
  claude('claude-opus-5-5'),
  claude('claude-fable-5-1'),
  gemini('gemini-2.5-flash'),
  gemini('gemini-3-pro-preview'),
  gemini('gemini-3.6-pro'),
  gpt('openai', 'gpt-4o'),
  gpt('openai', 'gpt-5.5'),
  gpt('openai-chat', 'gpt-4o'),
  gpt('openai-chat', 'gpt-5.5'),
  gpt('openai-chat', 'o1-mini'),
  other('google-interactions', 'gemini-2.5-flash', 'google-interactions'),
  other('google-interactions', 'gemini-3.6-flash', 'google-interactions'),
  other('bedrock', 'us.amazon.nova-lite-v1:0', 'bedrock-converse', false),
  other('bedrock', 'us.deepseek.r1-v1:0', 'bedrock-converse'),
  other('bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'bedrock-converse'),
  other('bedrock', 'us.anthropic.claude-opus-5-5', 'bedrock-converse'),
  other('bedrock-invoke', 'us.anthropic.claude-opus-4-8', 'anthropic-messages'),
  other('vertex', 'gemini-3-pro-preview', 'google-generatecontent'),
  other('vertex-anthropic', 'claude-opus-4-8', 'anthropic-messages'),
  other('cohere', 'command-a-03-2025', 'cohere-chat', false),
  other('cohere', 'command-a-reasoning-08-2025', 'cohere-chat'),
  compatible('deepseek', 'deepseek-chat'),
  compatible('groq', 'openai/gpt-oss-120b', { issuer: 'groq/openai' }),
  compatible('mistral', 'mistral-large-latest', { thinks: false }),
  compatible('openrouter', 'anthropic/claude-sonnet-4.5', {
    answersAs: 'anthropic/claude-4.5-sonnet-20250929',
    upstreams: ['Anthropic', 'Amazon Bedrock'],
  }),
  compatible('openrouter', 'google/gemini-3-pro', { upstreams: ['Google', 'Google AI Studio'] }),
];

export const EMULATOR: EmulatorOptions = {
  seed: 'hops',
  sleep: async () => {},
  issuers: {
    'groq/openai': { refuseUnknownMessageFields: true },
    openrouter: { extra: ['provider', 'messages.reasoning', 'messages.reasoning_details'] },
  },
};

/** The keys and base URLs of all of them. */
export function envFor({ url, env }: Emulator): Record<string, string> {
  const others = ['deepseek', 'groq', 'mistral', 'openrouter'].map((name) => [name.toUpperCase(), name] as const);
  return Object.fromEntries([
    ...Object.entries(env()),
    ...['GOOGLE_VERTEX_BASE_URL', 'ANTHROPIC_VERTEX_BASE_URL'].map((name) => [name, url]),
    ['GOOGLE_CLOUD_ACCESS_TOKEN', 'ya29.test'],
    ...others.map(([name]) => [`${name}_API_KEY`, 'sk-test']),
    ...others.map(([name, path]) => [`${name}_BASE_URL`, `${url}/${path}${path === 'openrouter' ? '/v1' : ''}`]),
  ]);
}

/** What a router is asked for, by the name that it gives. */
export const slugOf = (upstream: string): string =>
  upstream === 'Google' ? 'google-vertex' : upstream.toLowerCase().replaceAll(' ', '-');
