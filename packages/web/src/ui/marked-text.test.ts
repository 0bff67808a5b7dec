import { expect, test } from 'vitest';
import { plainPieces, splitAtMarks } from './marked-text.tsx';

const shown = (text: string, marks: readonly (readonly number[])[]) =>
  splitAtMarks(text, marks).map(({ text: piece, isMarked }) => (isMarked ? `[${piece}]` : piece));

test('marks cut a text where they begin and end', () => {
  expect(shown('a tree grows', [[2, 6]])).toEqual(['a ', '[tree]', ' grows']);
  expect(shown('tree', [[0, 4]])).toEqual(['[tree]']);
  expect(shown('', [])).toEqual([]);
});

test('marks that overlap or lie outside give no text twice and lose none', () => {
  const text = 'abcdef';
  for (const marks of [
    [
      [1, 4],
      [2, 5],
    ],
    [[4, 99]],
    [
      [3, 4],
      [0, 2],
    ],
    [[5, 2]],
  ])
    expect(
      splitAtMarks(text, marks)
        .map((piece) => piece.text)
        .join(''),
    ).toBe(text);
});

test('what is found is marked in words without the marks of Markdown', () => {
  const text = '| Porto | 19 | | **Lisbon** | 21 |';
  const at = text.indexOf('Lisbon');
  const pieces = plainPieces(text, [[at, at + 6]]);
  expect(pieces.map((piece) => piece.text)).toEqual(['Porto · 19 · ', 'Lisbon', ' · 21']);
  expect(pieces.filter(({ isMarked }) => isMarked).map((piece) => piece.text)).toEqual(['Lisbon']);
});
