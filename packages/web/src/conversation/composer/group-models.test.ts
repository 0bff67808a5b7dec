import { expect, test } from 'vitest';
import { groupModels } from './group-models.ts';

const models = ['anthropic/claude-opus-5', 'openai/gpt-5', 'anthropic/claude-haiku-4-5'].map((id) => {
  const [provider = '', model = ''] = id.split('/');
  return { id, provider, model, hasKey: true };
});

test('every word has to be in the name, in any order', () => {
  const found = groupModels(models, 'haiku Claude').flatMap((group) => group.models.map(({ id }) => id));
  expect(found).toEqual(['anthropic/claude-haiku-4-5']);
  expect(groupModels(models, 'openai/gpt')).toHaveLength(1);
});

test('models of one provider stand together', () => {
  expect(groupModels(models, '').map(({ provider, models: of }) => [provider, of.length])).toEqual([
    ['anthropic', 2],
    ['openai', 1],
  ]);
});
