import { expect, test } from 'vitest';
import type { StoreProblem } from '../store.ts';
import { createContext, readPosition, readRows, toPageOfRows } from './context.ts';
import { makeDatabase } from './test-database.ts';

/** A database that has so many of the settings that are asked for. */
async function contextWith(count: string) {
  const asked: string[] = [];
  const db = makeDatabase(async ({ text }) => {
    asked.push(text);
    return { rows: [{ count }] };
  });
  const context = await createContext(db, 'a\0b');
  expect(asked).toEqual([
    expect.stringContaining("from pg_settings where name in ('enable_bitmapscan', 'enable_sort')"),
  ]);
  return context;
}

test('the settings of the planner are used only where both are there', async () => {
  expect(await contextWith('2')).toMatchObject({
    project: 'a\0b',
    own: 'a\u001b0000b',
    hasPlannerSettings: true,
    problems: new Map(),
  });
  expect((await contextWith('1')).hasPlannerSettings).toBe(false);
});

test('a row that cannot be read is a problem with its place, and does not keep others from being read', () => {
  const problems = new Map<string, StoreProblem>();
  const read = (row: string) => JSON.parse(row) as unknown;
  const where = (row: string) => `node of ${row}`;
  expect(readRows({ problems }, ['1', 'x', '2'], read, where)).toEqual([1, 2]);
  const problem = problems.get('node of x');
  expect(problem).toEqual({
    code: 'damaged-record',
    where: 'node of x',
    message: expect.stringMatching(/^The row of node of x cannot be read: .*JSON/),
    subject: 'of x',
  });
  readRows({ problems }, ['x', 'y'], read, where, 'wrong-hash');
  expect([...problems.values()].map(({ code }) => code)).toEqual(['wrong-hash', 'wrong-hash']);
});

test('a page has a next one when one more row was read than it takes', () => {
  const page = (rows: readonly number[], limit: number) =>
    toPageOfRows(
      rows,
      { limit },
      (some) => some.map((row) => `row ${row}`),
      (row) => [row, 'x'],
    );
  expect(page([1, 2], 2)).toEqual({ items: ['row 1', 'row 2'] });
  expect(page([], 2)).toEqual({ items: [] });
  const first = page([1, 2, 3], 2);
  expect(first).toEqual({ items: ['row 1', 'row 2'], next: '[2,"x"]' });
  expect(readPosition({ after: first.next! }, [0, ''])).toEqual([2, 'x']);
  expect(readPosition({}, [0, ''])).toBe(undefined);
  expect(() => readPosition({ after: first.next! }, ['', ''])).toThrow('is not a cursor of this list');
});
