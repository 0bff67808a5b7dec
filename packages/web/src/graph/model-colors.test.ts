import { expect, test } from 'vitest';
import { modelColors } from './model-colors.ts';

test('a model has the colour of its provider, and a second one of the same provider another', () => {
  const colors = modelColors([
    { model: undefined },
    { model: 'gpt-5.5', provider: 'openai' },
    { model: 'claude-sonnet-5', provider: 'anthropic' },
    { model: 'claude-opus-5', provider: 'anthropic' },
    { model: 'gpt-5.5', provider: 'openai' },
    { model: 'llama', provider: 'ollama' },
  ]);
  expect([...colors]).toEqual([
    ['gpt-5.5', '--openai'],
    ['claude-sonnet-5', '--anthropic'],
    ['claude-opus-5', '--model-4'],
    ['llama', '--model-5'],
  ]);
});

test('eight models have eight colours', () => {
  for (const provider of ['anthropic', 'ollama']) {
    const models = Array.from({ length: 8 }, (_, index) => ({ model: `m${index}`, provider }));
    expect(new Set(modelColors(models).values()).size, provider).toBe(8);
  }
});
