import { toolResult, user } from '@skein/core';
import { expect, test } from 'vitest';
import { createWordIndex, indexWords, nodeText, pageOfHits, searchText, splitWords } from './word-index.ts';

test.each([
  ['Café, au lait!', ['cafe', 'au', 'lait']],
  ['ÅNGSTRÖM x1-y2', ['angstrom', 'x1', 'y2']],
  ['… !', []],
  ['', []],
  ['天気予報', ['天気', '気予', '予報']],
  ['天', ['天']],
  ['v2天気ok', ['v2', '天気', 'ok']],
  ['天気', ['天気']],
  ['ローマ字 kana', ['ロー', 'ーマ', 'マ字', 'kana']],
  ['𠮷野家', ['𠮷野', '野家']],
])('the words of %s', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});

test.each([
  ['plain words', ['plain', 'words']],
  ['天気', ['天気', '気']],
  ['天', ['天']],
  ['v2天気', ['v2', '天気', '気']],
  ['野𠮷', ['野𠮷', '𠮷']],
])('the words of %s for an index', (text, words) => {
  expect(indexWords(text)).toEqual(words);
});

/** An index of texts, each with its number as id. */
function createIndex(...texts: string[]) {
  const index = createWordIndex();
  for (const [at, text] of texts.entries()) index.add(String(at), text);
  return index;
}

const find = (index: ReturnType<typeof createIndex>, text: string) =>
  index
    .find(splitWords(text))
    .map(({ id }) => Number(id))
    .sort();

test('a text is found by all of its words, the last of which may be a beginning', () => {
  const index = createIndex('red car', 'red carpet', 'a blue car and a red one', 'ca', 'red');
  expect(find(index, 'red')).toEqual([0, 1, 2, 4]);
  expect(find(index, 'red car')).toEqual([0, 1, 2]);
  expect(find(index, 'car red')).toEqual([0, 2]);
  expect(find(index, 're')).toEqual([0, 1, 2, 4]);
  expect(find(index, 're car')).toEqual([]);
  expect(find(index, 'red cars')).toEqual([]);
  expect(find(index, 'zebra')).toEqual([]);
  expect(find(index, '')).toEqual([]);
  index.add('5', 'redder');
  expect(find(index, 're')).toEqual([0, 1, 2, 4, 5]);
});

test('a rare word weighs more than a common one, many of a word more than one, and a short text more than a long one', () => {
  const filler = 'x '.repeat(300);
  const index = createIndex('common rare', 'common', 'common common', `common ${filler}`, 'other', 'common');
  const scores = (text: string) =>
    new Map(index.find(splitWords(text)).map(({ id, score }) => [Number(id), score] as const));
  const common = scores('common');
  expect(common.get(2)!).toBeGreaterThan(common.get(1)!);
  expect(common.get(1)!).toBeGreaterThan(common.get(3)!);
  expect(common.get(1)).toBe(common.get(5));
  expect(scores('rare').get(0)!).toBeGreaterThan(common.get(0)!);
  // Of a text with one word that is in two of six: ln(1 + 6 / 1) / (1 + 0.5 + 2 / 100).
  expect(scores('rare').get(0)).toBeCloseTo(Math.log(7) / 1.52, 12);
  expect(scores('common rare').get(0)).toBeCloseTo((Math.log(7) + Math.log(1 + 6 / 5)) / 1.52, 12);
  // What begins in two ways counts as often as both.
  const both = createIndex('cart carpet', 'cart', 'x').find(['car']);
  expect(both.map(({ score }) => score)).toEqual([
    (Math.log(2.5) * 2) / (2.5 + 0.02),
    (Math.log(2.5) * 1) / (1.5 + 0.01),
  ]);
});

test('the best hit comes first, then the newest, then by its id', () => {
  const hits = [
    { id: 'b', score: 1 },
    { id: 'a', score: 1 },
    { id: 'best', score: 2 },
    { id: 'new', score: 1 },
    { id: 'c', score: 1 },
  ];
  const at = (id: string) => (id === 'new' ? 5 : 1);
  const order = ['best', 'new', 'a', 'b', 'c'];
  expect(pageOfHits(hits, at, {}).items.map(({ id }) => id)).toEqual(order);
  const first = pageOfHits(hits, at, { limit: 3 });
  const rest = pageOfHits(hits, at, { after: first.next! });
  expect([...first.items, ...rest.items].map(({ id }) => id)).toEqual(order);
});

test('a message is searched by all that a person sees of it', () => {
  const raw = JSON.stringify({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'thoughts' },
      { type: 'text', text: 'words' },
      { type: 'text', text: '' },
      { type: 'refusal', text: 'no' },
      { type: 'tool-use', id: 'c1', name: 'look', parameters: { at: 'sea' } },
    ],
  });
  const text = nodeText('blocks', raw);
  expect(text).toBe('thoughts\nwords\nno\nlook {"at":"sea"}');
  const content = [
    { type: 'text', text: 'ship' },
    { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: 'AAAA' } },
    { type: 'text', text: 'wave' },
  ] as const;
  expect(searchText(toolResult('c1', content))).toBe('ship  wave');
  expect(searchText(user(content))).toBe('ship\nwave');
  expect(searchText(user('one'))).toBe('one');
  expect(nodeText('blocks', 'not JSON')).toBe('not JSON');
  expect(nodeText('no-such-dialect', raw)).toBe(raw);
});
