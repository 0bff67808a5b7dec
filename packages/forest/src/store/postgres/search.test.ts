import { expect, test } from 'vitest';
import { sha256 } from '../../model/ids.ts';
import { makeNode } from '../../testing/store-samples.ts';
import { toTsVector } from './search.ts';

/** Of a dialect that nobody knows, so that its text is searched as it is. */
const node = { ...makeNode('a').node, dialect: 'unknown' };
const MARK = sha256('p').slice(0, 6);

/** Words with their places, as they are stored; without the mark of the project. */
function vectorOf(text: string): string[] {
  const words = toTsVector('p', node, text).split(' ');
  for (const word of words) expect(word.startsWith(MARK)).toBe(true);
  return words.map((word) => word.slice(MARK.length));
}

test('each word has its places, and the mark of its project', () => {
  expect(vectorOf('One two one')).toEqual(['one:1,3', 'two:2']);
  expect(toTsVector('q', node, 'one')).toBe(`${sha256('q').slice(0, 6)}one:1`);
  expect(toTsVector('p', node)).toBe('');
});

test('a long word is cut after 200 characters, and is then the same as others', () => {
  const [exact, longer] = ['a'.repeat(200), 'a'.repeat(300)];
  expect(vectorOf(`${exact} ${longer} ${'a'.repeat(199)}`)).toEqual([`${exact}:1,2`, `${'a'.repeat(199)}:3`]);
});

test('a word has at most 255 places, and none behind 16,383', () => {
  const [often] = vectorOf('a '.repeat(300));
  expect(often).toBe(`a:${Array.from({ length: 255 }, (_, at) => at + 1).join()}`);
  const late = vectorOf(`${'a '.repeat(16_382)}b c`);
  expect(late.slice(1)).toEqual(['b:16383', 'c']);
});

test('of a text with too many words, the first ones are kept, as many as there is room for', () => {
  const count = 60_000;
  const words = Array.from({ length: count }, (_, at) => `w${String(at).padStart(5, '0')}`);
  // Each takes its own twelve bytes, eight more, and two for its place, if it has one; so the room is used to the last byte.
  words[0] += 'x'.repeat(14);
  const kept = (800_000 - 14 - 2 * 16_383) / 20;
  const vector = vectorOf(words.join(' '));
  expect(vector.length).toBe(kept);
  expect(vector.at(-1)).toBe(words[kept - 1]);
});
