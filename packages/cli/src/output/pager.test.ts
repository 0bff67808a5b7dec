import { expect, test } from 'vitest';
import { isLong, pagerCommand, showInPager } from './pager.ts';
import { cutToWidth, textWidth } from './width.ts';

test('a pager only for a terminal, as the user chose it', () => {
  const on = (env: NodeJS.ProcessEnv) => pagerCommand({ isTerminal: true, env });
  expect(on({})).toBe('less');
  expect(on({ PAGER: 'most' })).toBe('most');
  expect(on({ PAGER: 'most', SKEIN_PAGER: 'less -S' })).toBe('less -S');
  expect([on({ PAGER: 'cat' }), on({ SKEIN_PAGER: '' }), on({ TERM: 'dumb' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(pagerCommand({ isTerminal: false, env: {} })).toBeUndefined();
});

test('long is what does not fit: lines that wrap count more than once, colours and marks do not', () => {
  const screen = { rows: 3, columns: 10 };
  expect(isLong('a\nb\nc', screen)).toBe(false);
  expect(isLong('a\nb\nc\n', screen)).toBe(true);
  expect(isLong(`${'x'.repeat(31)}`, screen)).toBe(true);
  expect(isLong(`\x1b[1m${'x'.repeat(30)}\x1b[22m`, screen)).toBe(false);
});

test('a pager that is not there says so, and one that leaves early is no error', async () => {
  expect(await showInPager('no-such-pager-here 2>/dev/null', 'text', process.env)).toBe(false);
  expect(await showInPager('true', 'x'.repeat(1_000_000), process.env)).toBe(true);
});

test('columns of wide characters, emoji and marks, and cutting between them', () => {
  expect(['abc', '天気', 'é', '👩‍👩‍👧', '✔️', '\u200b', '한국'].map(textWidth)).toEqual([3, 4, 1, 2, 2, 0, 4]);
  expect(cutToWidth('天気予報', 6)).toBe('天気…');
  expect(cutToWidth('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4)).toBe('👩‍👩‍👧…');
  expect(cutToWidth('abc', 3)).toBe('abc');
});
