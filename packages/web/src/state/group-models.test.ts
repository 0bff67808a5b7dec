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

test('a name that is typed whole comes before longer ones', () => {
  const named = ['b/x-2', 'a/x-2-preview', 'a/x-2'].map((id) => ({
    id,
    provider: id.slice(0, 1),
    model: id.slice(2),
    hasKey: true,
  }));
  expect(groupModels(named, 'a/x-2')[0]?.models[0]?.id).toBe('a/x-2');
  expect(groupModels(named, 'a/x-2')[0]?.provider).toBe('a');
});

test('of many only some are shown, and how many more there are is said', () => {
  const many = [...Array(60).keys()].map((at) => ({ id: `a/m-${at}`, provider: 'a', model: `m-${at}`, hasKey: true }));
  const [group] = groupModels(many, '');
  expect(group?.models.map(({ model }) => model).slice(0, 2)).toEqual(['m-59', 'm-58']);
  expect(group?.more).toBe(52);
  expect(groupModels(many, 'm-7')[0]?.more).toBe(0);
  const [withCurrent] = groupModels(many, '', 'a/m-3');
  expect(withCurrent?.models.at(-1)?.model).toBe('m-3');
  expect(withCurrent?.more).toBe(51);
});

test('models of one provider stand together', () => {
  expect(groupModels(models, '').map(({ provider, models: of }) => [provider, of.length])).toEqual([
    ['anthropic', 2],
    ['openai', 1],
  ]);
});
