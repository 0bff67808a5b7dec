import { expect, test } from 'vitest';
import type { SessionLane } from '../api/types.ts';
import { diffLines, listFiles } from './line-diff.ts';

const text = (value: string) => ({ text: value, isCut: false });
const change = (before: string, after: string) => ({ before: text(before), after: text(after) });

test('a change is shown with three lines around it, and the rest is counted', () => {
  const lines = [...'abcdefghij'];
  const shown = diffLines(change(lines.join('\n'), lines.join('\n').replace('f', 'F')));
  expect(shown.map((line) => (line.kind === 'folded' ? `… ${line.count}` : `${line.kind} ${line.text}`))).toEqual([
    '… 2',
    'same c',
    'same d',
    'same e',
    'removed f',
    'added F',
    'same g',
    'same h',
    'same i',
    '… 1',
  ]);
});

test('files are counted once however they are named, changed ones first', () => {
  const files = [
    { path: '/shop/b.ts', changes: [] },
    { path: '/shop/a.ts', changes: [change('1\n2\n', '1\n3\n4\n')] },
    { path: 'a.ts', changes: [change('', 'new\n')], whole: 'written' as const },
  ];
  const lane = (cwd: string, from: number, ...steps: readonly object[]) =>
    ({ thread: { cwd }, steps: steps.map((file, at) => ({ at: from + at, acts: [{ files: [file] }] })) }) as never;
  const main: SessionLane = lane('/shop', 0, ...files);
  const subagent: SessionLane = lane('/shop', 1, { path: '/shop/c.ts', changes: [change('x', 'y')] });
  expect(listFiles(main, [subagent])).toMatchObject([
    { path: 'a.ts', reads: 0, added: 3, removed: 1, changes: [{ step: 1 }, { step: 2 }] },
    { path: 'c.ts', changes: [{ step: 1 }] },
    { path: 'b.ts', reads: 1, added: 0, removed: 0, changes: [] },
  ]);
});

test('a change that failed is not among the files', () => {
  const act = (path: string, isError: boolean) => ({
    files: [{ path, changes: [change('1', '2')] }],
    result: { output: text(''), isError },
  });
  const main = { thread: {}, steps: [{ at: 0, acts: [act('a.ts', false), act('b.ts', true)] }] } as never;
  expect(listFiles(main, []).map(({ path }) => path)).toEqual(['a.ts']);
});
