import { describe, expect, it } from 'vitest';
import { modelInfo } from './model-info.ts';
import { provider } from './registry.ts';
import { type ModelRequirements, NoModelError, selectModel } from './select-model.ts';

const ALL = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b', GEMINI_API_KEY: 'c', DEEPSEEK_API_KEY: 'd' };

function chosen(wish: ModelRequirements, env: Readonly<Record<string, string>> = ALL): string {
  const { provider, model } = selectModel(wish, { env });
  return `${provider.id}/${model}`;
}

function refused(wish: ModelRequirements, env: Readonly<Record<string, string>>): NoModelError {
  try {
    selectModel(wish, { env });
  } catch (error) {
    if (error instanceof NoModelError) return error;
  }
  throw new Error('a model was chosen');
}

describe('a model is chosen', () => {
  it('by which keys exist', () => {
    expect(chosen({}, { OPENAI_API_KEY: 'x' })).toMatch(/^openai\//);
    expect(chosen({}, { GOOGLE_API_KEY: 'x' })).toMatch(/^google\//);
    expect(selectModel({}, { env: {}, keysFor: ['mistral'] }).provider.id).toBe('mistral');
  });

  it('by what it takes and gives', () => {
    expect(chosen({ input: ['video'] })).toMatch(/^google\/gemini/);
    expect(chosen({ output: ['image'] })).toContain('image');
    expect(chosen({ output: ['audio'] })).toContain('audio');
    expect(chosen({ input: ['document'], tools: true }, { DEEPSEEK_API_KEY: 'x', GEMINI_API_KEY: 'y' })).toMatch(
      /^google/,
    );
  });

  it('by preference, where that can be followed', () => {
    expect(chosen({ preferredProvider: 'deepseek' })).toMatch(/^deepseek\//);
    expect(chosen({ preferredProvider: 'gemini' })).toMatch(/^google\//);
    expect(chosen({ preferredProvider: 'deepseek', input: ['image'] })).not.toMatch(/^deepseek\//);
    expect(chosen({ preferredProvider: 'xai' })).toMatch(/^anthropic\//);
  });

  it('by name, also one that we do not know', () => {
    expect(chosen({ preferredModel: 'openai/gpt-77', tools: true, input: ['image'] })).toBe('openai/gpt-77');
    expect(chosen({ preferredModel: 'ollama/my-own', tools: true })).toBe('ollama/my-own');
    expect(chosen({ preferredProvider: 'openai', preferredModel: 'gpt-5.5' })).toBe('openai/gpt-5.5');
    expect(chosen({ preferredModel: 'deepseek/deepseek-chat', input: ['image'] })).not.toMatch(/^deepseek/);
  });

  it('by a strategy of your own, from a list of your own', () => {
    const { model, provider } = selectModel(
      {},
      { env: {}, models: ['ollama/a', 'ollama/b'], strategy: (candidates) => candidates.at(-1) },
    );
    expect([provider.id, model]).toEqual(['ollama', 'b']);
  });
});

describe('an impossible wish', () => {
  it('says which capability is missing, and what would have it', () => {
    const error = refused({ input: ['video'], tools: true }, { DEEPSEEK_API_KEY: 'x' });
    expect(error.missing).toEqual(['video input']);
    expect(error.message).toContain('No model with a key has video input.');
    expect(error.message).toContain('google/gemini-3.6-flash (GEMINI_API_KEY or GOOGLE_API_KEY)');
  });

  it('that nothing can fulfil says so', () => {
    const error = refused({ output: ['video'] }, ALL);
    expect(error).toMatchObject({ missing: ['video output'], wouldDo: [] });
    expect(error.message).toContain('Nothing in the list');
  });

  it('without any key names the variables', () => {
    const error = refused({}, {});
    expect(error.message).toContain('There is no key for any model.');
    expect(error.message).toContain('ANTHROPIC_API_KEY');
    expect(error.missing).toEqual([]);
  });
});

describe('what is known of a model', () => {
  it('holds for new ones of a known family, and for resellers', () => {
    expect(modelInfo(provider('anthropic'), 'claude-opus-9')).toMatchObject({ known: true, tools: true });
    expect(modelInfo(provider('openrouter'), 'anthropic/claude-sonnet-4.5').input).toContain('document');
  });

  it('ends at what its provider lets through', () => {
    expect(modelInfo(provider('openai'), 'gpt-audio').input).toEqual(['text']);
    expect(modelInfo(provider('openai-chat'), 'gpt-audio').input).toEqual(['text', 'audio']);
  });

  it.each([
    ['google', 'gemini-2.5-pro', 1_048_576, 65_536],
    ['google', 'gemini-3-pro', 1_048_576, 65_536],
    ['google', 'gemini-3-pro-preview', 1_048_576, 65_536],
    ['openai', 'gpt-5.2', 400_000, 128_000],
    ['openai-chat', 'gpt-4o-mini', 128_000, 16_384],
    ['openai', 'gpt-4.1-2025-04-14', 1_047_576, 32_768],
    ['openai', 'gpt-4-0613', 8192, 8192],
    ['openai', 'gpt-4-0125-preview', 128_000, 4096],
    ['openai', 'o3', 200_000, 100_000],
    ['anthropic', 'claude-sonnet-4-5', 200_000, 64_000],
    ['openrouter', 'anthropic/claude-sonnet-4.5', 200_000, 64_000],
  ])('includes how much %s/%s takes and writes', (id, model, contextTokens, maxOutputTokens) => {
    expect(modelInfo(provider(id), model)).toMatchObject({ contextTokens, maxOutputTokens });
  });

  it('is next to nothing for unknown ones', () => {
    expect(modelInfo(provider('openai'), 'something-else')).toEqual({
      known: false,
      input: ['text'],
      output: ['text'],
    });
  });
});
