import { describe, expect, it } from 'vitest';
import { loadDialect } from '../dialects/index.ts';
import {
  DEMO_ISSUER,
  defineProvider,
  hasKey,
  MissingBaseUrlError,
  MissingKeyError,
  ModelRefError,
  parseModel,
  provider,
  providers,
  resolveEndpoint,
  resolveKey,
  UnknownProviderError,
} from './registry.ts';

const NAMES = [
  ...[
    'openai',
    'openai-chat',
    'anthropic',
    'google',
    'google-interactions',
    'bedrock',
    'bedrock-invoke',
    'cohere',
    'vertex',
    'vertex-anthropic',
    'azure-openai',
    'openrouter',
    'deepseek',
    'xai',
    'groq',
  ],
  ...['mistral', 'together', 'fireworks', 'cerebras', 'moonshot', 'zai', 'ollama', 'lmstudio', 'openai-compatible'],
];

describe.each(NAMES)('the descriptor of %s', (name) => {
  const descriptor = provider(name);
  const { connection, policies } = descriptor;

  it('is complete data', () => {
    // How the address of a cloud is found and its traffic read is no data.
    const { hosts: _, endpoints: __, framing: ___, ...data } = descriptor;
    const plain = { ...data, connection: { ...connection, locate: undefined } };
    expect(JSON.parse(JSON.stringify(plain))).toEqual(plain);
    expect(descriptor.id).toBe(name);
    expect(descriptor.issuer).not.toBe('');
    expect(connection).toBeDefined();
  });

  it('names a dialect that exists, and only quirks that it knows', async () => {
    const { home } = await loadDialect(descriptor.dialect);
    expect(Object.keys(home.policies.quirks)).toEqual(expect.arrayContaining(Object.keys(policies.quirks)));
  });

  it('has patterns that compile', () => {
    for (const { pattern, maxLength } of [policies.toolIds, policies.toolNames]) {
      expect(() => new RegExp(pattern)).not.toThrow();
      expect(maxLength).toBeGreaterThan(0);
    }
    for (const field of policies.refusedFields) expect(field).toMatch(/^(\w+|\*)(\.(\w+|\*))*$/);
    for (const type of [...policies.media.user, ...policies.media.toolResult]) expect(type).toMatch(/^\w+\/[\w.*+-]+$/);
  });

  it('says where it is and how to sign in', () => {
    expect(connection?.baseUrl).toMatch(/^(https:\/\/[^/]+.*[^/]|http:\/\/localhost:\d+\/v1|)$/);
    expect(connection?.path).toMatch(/^\//);
    for (const { header, value } of connection?.auth ?? []) {
      expect(header).toMatch(/^[a-z-]+$/);
      expect(value).toContain('{key}');
    }
    const variables = [...(connection?.keyVariables ?? []), ...(connection?.baseUrlVariables ?? [])];
    expect(variables.length).toBeGreaterThanOrEqual(2);
    for (const variable of variables) expect(variable).toMatch(/^[A-Z][A-Z_]+$/);
  });
});

describe('providers', () => {
  it('are all there, and no two answer to one name', () => {
    expect(providers().map(({ id }) => id)).toEqual(NAMES);
    const names = providers().flatMap(({ id, aliases = [] }) => [id, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(provider('gemini')).toBe(provider('google'));
  });

  it.each([
    ['antropic', 'anthropic'],
    ['OpenAI', 'openai'],
    ['open-router', 'openrouter'],
    ['google-ai', 'google'],
    ['lm-studio', 'lmstudio'],
    ['mistralai', 'mistral'],
  ])('%s is unknown; %s is nearest', (name, near) => {
    const error = thrownBy(() => provider(name));
    expect(error).toBeInstanceOf(UnknownProviderError);
    expect(error.message).toContain(`Did you mean "${near}"?`);
    for (const known of NAMES) expect(error.message).toContain(known);
  });

  it('far-off names are not mistaken for any', () => {
    expect(thrownBy(() => provider('watsonx-enterprise')).message).not.toContain('Did you mean');
  });

  it('can be added', () => {
    const added = defineProvider({ ...provider('openai-compatible'), id: 'house', issuer: 'house.example' });
    expect(parseModel('house/model-1')).toEqual({ provider: added, model: 'model-1' });
    expect(() => defineProvider({ ...added, id: 'a/b' })).toThrow(TypeError);
  });
});

describe('a model string', () => {
  it('names a provider, and behind the first slash a model', () => {
    expect(parseModel('openrouter/anthropic/claude-sonnet-4.5')).toMatchObject({
      provider: { id: 'openrouter' },
      model: 'anthropic/claude-sonnet-4.5',
    });
  });

  it.each(['claude-opus-5', '', '/x', 'openai/', 'openai/ '])('%j is none', (text) => {
    expect(() => parseModel(text)).toThrow(ModelRefError);
  });
});

describe('keys and addresses', () => {
  it('are taken as given, then from the environment, then from the descriptor', () => {
    const openai = provider('openai');
    const env = { OPENAI_API_KEY: ' from-env\n', OPENAI_BASE_URL: 'http://proxy.example/v1/' };
    expect(resolveKey(openai, { key: 'given', env })).toBe('given');
    expect(resolveKey(openai, { env })).toBe('from-env');
    expect(resolveEndpoint(openai, { env, baseUrl: 'https://given.example' }).baseUrl).toBe('https://given.example');
    expect(resolveEndpoint(openai, { env }).baseUrl).toBe('http://proxy.example/v1');
    expect(resolveEndpoint(openai, { env: {} }).baseUrl).toBe('https://api.openai.com/v1');
  });

  it('a proxy in between does not change who issues', () => {
    const openai = provider('openai');
    expect(resolveEndpoint(openai, { baseUrl: 'http://localhost:9/v1' }).provider).toBe(openai);
  });

  it('the demo issues its own answers, whichever provider it stands in for', () => {
    const env = { SKEIN_DEMO_URL: 'http://127.0.0.1:9', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    expect(resolveEndpoint(provider('anthropic'), { env }).provider.issuer).toBe(DEMO_ISSUER);
    expect(resolveEndpoint(provider('openai'), { env }).provider.issuer).toBe(provider('openai').issuer);
  });

  it('where everyone has their own, the address says who issues', () => {
    const env = { AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' };
    expect(resolveEndpoint(provider('azure-openai'), { env })).toMatchObject({
      baseUrl: 'https://mine.openai.azure.com',
      provider: { issuer: 'mine.openai.azure.com' },
    });
    const error = thrownBy(() => resolveEndpoint(provider('openai-compatible'), { env: {} }));
    expect(error).toBeInstanceOf(MissingBaseUrlError);
    expect(error.message).toContain('OPENAI_COMPATIBLE_BASE_URL');
  });

  it('that are missing are named', () => {
    const error = thrownBy(() => resolveKey(provider('gemini'), { env: { GEMINI_API_KEY: '' } }));
    expect(error).toBeInstanceOf(MissingKeyError);
    expect(error.message).toBe('No key for google. Set GEMINI_API_KEY or GOOGLE_API_KEY, or give a key.');
    expect(hasKey(provider('gemini'), { env: { GOOGLE_API_KEY: 'x' } })).toBe(true);
    expect(hasKey(provider('gemini'), { env: {} })).toBe(false);
  });

  it('are not needed on this machine', () => {
    for (const name of ['ollama', 'lmstudio']) {
      expect(resolveKey(provider(name), { env: {} })).toBeUndefined();
      expect(hasKey(provider(name), { env: {} })).toBe(true);
    }
  });

  it('an address that is none is refused without being repeated', () => {
    const error = thrownBy(() => resolveEndpoint(provider('openai'), { baseUrl: 'file://user:password@x' }));
    expect(error.message).not.toContain('password');
  });
});

function thrownBy(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}
