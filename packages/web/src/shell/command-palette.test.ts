import { expect, test } from 'vitest';
import { rankByWords } from './command-palette.tsx';

const texts = ['Go to settings', 'Reset the view', 'Set a bookmark', 'anthropic/claude-sonnet'];
const found = (query: string, limit = 9) => rankByWords(texts, query, (text) => text, limit);

test('all words must be there, in any order and case', () => {
  expect(found('SETTINGS go')).toEqual(['Go to settings']);
  expect(found('settings stop')).toEqual([]);
});

test('the beginning of a word counts more than its middle', () => {
  expect(found('set')).toEqual(['Set a bookmark', 'Go to settings', 'Reset the view']);
  expect(found('sonnet')).toEqual(['anthropic/claude-sonnet']);
});

test('an empty query leaves all as they are, up to the limit', () => {
  expect(found(' ', 2)).toEqual(['Go to settings', 'Reset the view']);
});
