import { describe, expect, test } from 'vitest';
import { shortestEdit, type TextChange, wordDiff } from './word-diff.ts';

const without = (kind: TextChange['kind'], changes: readonly TextChange[]) =>
  changes
    .filter((change) => change.kind !== kind)
    .map(({ text }) => text)
    .join('');

const shown = (changes: readonly TextChange[]) =>
  changes.map(({ kind, text }) => (kind === 'same' ? text : kind === 'added' ? `[+${text}]` : `[-${text}]`)).join('');

describe('word difference', () => {
  test('marks the words that differ, and no others', () => {
    expect(shown(wordDiff('The quick brown fox.', 'The slow brown fox.'))).toBe('The [-quick][+slow] brown fox.');
  });

  test('phrases are marked as one', () => {
    expect(shown(wordDiff('I like red wine', 'I like cold beer'))).toBe('I like [-red wine][+cold beer]');
  });

  test('the same text has no change', () => {
    expect(wordDiff('same', 'same')).toEqual([{ kind: 'same', text: 'same' }]);
    expect(wordDiff('', '')).toEqual([]);
  });

  test('from nothing and to nothing', () => {
    expect(shown(wordDiff('', 'a b'))).toBe('[+a b]');
    expect(shown(wordDiff('a b', ''))).toBe('[-a b]');
  });

  test('characters of two units are not cut in half', () => {
    for (const { text } of wordDiff('a 😀 b', 'a 😁 b')) expect(text).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
  });

  test('both texts can be read from it, whatever they are', () => {
    const random = generator(7);
    for (let round = 0; round < 300; round += 1) {
      const before = randomText(random);
      const after = randomText(random);
      const changes = wordDiff(before, after);
      expect(without('added', changes)).toBe(before);
      expect(without('removed', changes)).toBe(after);
    }
  });

  test('two long texts with nothing in common end, and are told apart by lines', () => {
    const lines = (word: string) =>
      [...Array(500).keys()].map((index) => `${word} x ${word} ${index} ${word}\n`).join('');
    const before = `${lines('a')}kept line\n`;
    const after = `${lines('b')}kept line\nmore`;
    const changes = wordDiff(before, after);
    expect(without('added', changes)).toBe(before);
    expect(without('removed', changes)).toBe(after);
    expect(changes.some(({ kind, text }) => kind === 'same' && text.includes('kept line'))).toBe(true);
  });
});

describe('shortest edit', () => {
  test('is the shortest: the example of the paper has five', () => {
    const changes = shortestEdit([...'ABCABBA'], [...'CBABAC'], 100)!;
    expect(changes.filter(({ kind }) => kind !== 'same')).toHaveLength(5);
  });

  test('gives up where it is told to', () => {
    expect(shortestEdit([...'abc'], [...'xyz'], 5)).toBeUndefined();
    expect(shortestEdit([...'abc'], [...'xyz'], 6)).toHaveLength(6);
  });
});

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function randomText(random: () => number): string {
  const words = ['a', 'b ', 'cat', ' ', '\n', '.', '12', '  ', 'é'];
  return [...Array(Math.floor(random() * 25))].map(() => words[Math.floor(random() * words.length)]).join('');
}
