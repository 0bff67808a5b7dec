import { calcPrice } from '@pydantic/genai-prices';
import { describe, expect, it } from 'vitest';
import type { Usage } from './dialects/index.ts';
import { costOf, listedModels, modelInfoWithLimits } from './prices.ts';
import { modelInfo } from './providers/model-info.ts';
import { provider } from './providers/registry.ts';

const NONE: Usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0, native: '{}' };
const USED: Usage = { ...NONE, input: 1000, output: 100, reasoning: 50 };
const AT = new Date('2026-11-01');

describe('the cost of a reply', () => {
  it('is told by bucket and in all', () => {
    const cost = costOf(
      { ...USED, cacheRead: 2000, cacheWrite5m: 400, cacheWrite1h: 30 },
      'anthropic',
      'claude-sonnet-4-5',
      AT,
    );
    expect(cost.total).toBeCloseTo(0.003 + 0.0006 + 0.0015 + 0.00018 + 0.0015 + 0.00075, 10);
    expect(cost).toMatchObject({ buckets: { input: 0.003, cacheRead: 0.0006, reasoning: 0.00075 } });
  });

  it.each(['openai', 'anthropic', 'google', 'deepseek', 'groq', 'cerebras', 'openrouter'])(
    'agrees with the library for every model of %s, short prompts and long',
    (provider) => {
      let compared = 0;
      for (const model of listedModels(provider)) {
        for (const input of [1000, 300_000]) {
          const { total } = costOf({ ...USED, input, reasoning: 0 }, provider, model, AT);
          if (total === undefined) continue;
          const theirs = calcPrice({ input_tokens: input, output_tokens: 100 }, model, {
            providerId: provider,
            timestamp: AT,
          });
          expect(total).toBeCloseTo(theirs?.total_price ?? Number.NaN, 9);
          compared++;
        }
      }
      expect(compared).toBeGreaterThan(5);
    },
  );

  it('is not guessed for a server of which only the name resembles a listed provider', () => {
    for (const id of ['openai-compatible', 'my-openai']) {
      expect(costOf(USED, id, 'gpt-5.2', AT).total, id).toBeUndefined();
      expect(listedModels(id), id).toEqual([]);
    }
  });

  it('is listed for models only, not for the beginnings of their names', () => {
    expect(listedModels('openai').filter((name) => name.endsWith('-'))).toEqual([]);
  });

  it('is the same for both protocols of OpenAI', () => {
    expect(costOf(USED, 'openai-chat', 'gpt-5.2', AT)).toEqual(costOf(USED, 'openai', 'gpt-5.2', AT));
  });
});

describe('models of the clouds and of Cohere', () => {
  it.each([
    ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['bedrock', 'global.anthropic.claude-sonnet-4-6'],
    ['bedrock', 'amazon.nova-lite-v1:0'],
    ['bedrock-invoke', 'us.anthropic.claude-opus-4-8'],
    ['vertex', 'gemini-3-pro-preview'],
    ['vertex-anthropic', 'claude-sonnet-4-5@20250929'],
    ['cohere', 'command-a-03-2025'],
    ['google-interactions', 'gemini-3.6-flash'],
  ])('%s/%s has a price and a context', (id, model) => {
    expect(costOf(USED, id, model, AT).total).toBeGreaterThan(0);
    expect(modelInfoWithLimits(id, model).contextTokens).toBeGreaterThan(100_000);
  });

  it('a model on Bedrock has the abilities of its family, whatever its region and maker are called', () => {
    const plain = modelInfo(provider('anthropic'), 'claude-opus-4-8');
    for (const model of [
      'anthropic.claude-opus-4-8',
      'us.anthropic.claude-opus-4-8',
      'us-gov.anthropic.claude-opus-4-8-v1:0',
    ])
      expect(modelInfo(provider('bedrock'), model)).toEqual(plain);
    expect(modelInfo(provider('bedrock'), 'us.amazon.nova-lite-v1:0').input).toEqual(['text', 'image', 'document']);
    expect(modelInfo(provider('bedrock'), 'amazon.nova-micro-v1:0').input).toEqual(['text']);
  });

  it('what the list does not have costs nothing that we would know', () => {
    expect(costOf(USED, 'cohere', 'command-a-reasoning-08-2025', AT).total).toBeUndefined();
    expect(modelInfo(provider('cohere'), 'command-a-reasoning-08-2025')).toMatchObject({
      reasoning: true,
      contextTokens: 256_000,
    });
  });
});

describe('there is no figure', () => {
  it.each([
    ['for an unknown model', 'anthropic', 'claude-nonesuch-99', USED, 'anthropic/claude-nonesuch-99'],
    ['for a provider without a list', 'ollama', 'llama3', USED, 'ollama'],
    ['for one that the user named', 'my-house', 'gpt-5.2', USED, 'my-house'],
    ['for a bucket without a price', 'groq', 'llama-3.3-70b-versatile', { ...USED, cacheRead: 5 }, 'cacheRead'],
    [
      'for sound',
      'openai',
      'gpt-4o-audio-preview',
      { ...USED, native: '{"prompt_tokens_details":{"audio_tokens": 12}}' },
      'sound',
    ],
  ])('%s', (_, provider, model, usage, told) => {
    const cost = costOf(usage, provider, model, AT);
    expect(cost.total).toBeUndefined();
    expect(cost).toHaveProperty('reason', expect.stringContaining(told));
  });
});

it('the list also knows how much a model takes at once', () => {
  expect(modelInfoWithLimits('google', 'gemini-3-flash-preview')).toMatchObject({
    known: true,
    contextTokens: 1_000_000,
  });
  expect(modelInfoWithLimits('openai', 'gpt-none')).not.toHaveProperty('contextTokens');
});

it('knows the limits of models for which the list has none', () => {
  expect(modelInfoWithLimits('google', 'gemini-2.5-pro')).toMatchObject({ contextTokens: 1_048_576 });
  expect(modelInfoWithLimits('google', 'gemini-3-pro')).toMatchObject({ contextTokens: 1_048_576 });
  expect(modelInfoWithLimits('openai', 'gpt-5.2')).toMatchObject({ maxOutputTokens: 128_000 });
});

it.each(['openai', 'anthropic', 'google', 'xai', 'deepseek', 'moonshot'])(
  'never claims a larger context than the list has for a model of %s',
  (id) => {
    const compared = listedModels(id).flatMap((model) => {
      const known = modelInfo(provider(id), model).contextTokens;
      const listed = calcPrice({}, model, { providerId: provider(id).names?.prices ?? id })?.model.context_window;
      return known === undefined || listed === undefined ? [] : [{ model, known, listed }];
    });
    expect(compared.length).toBeGreaterThan(4);
    // The list rounds: 1,000,000 for 1,048,576.
    expect(compared.filter(({ known, listed }) => known > listed * 1.05)).toEqual([]);
  },
);

it("the same model has the same price by either of Google's APIs", () => {
  const [one, other] = ['google', 'google-interactions'].map((id) => costOf(USED, id, 'gemini-2.5-flash'));
  expect(one!.total).toBeGreaterThan(0);
  expect(other).toEqual(one);
});
