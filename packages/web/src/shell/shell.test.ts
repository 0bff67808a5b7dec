import { expect, test } from 'vitest';
import { foldDigits } from './shell.tsx';

test('rows that differ in a digit alone become one', () => {
  const rows = [
    { id: 'again', title: 'Answer again', keys: ['g'] },
    ...[2, 3, 4].map((n) => ({ id: `again-${n}`, title: `Answer again ${n} times`, keys: [`g ${n}`] })),
    { id: 'edit', title: 'Edit', keys: ['e'] },
  ];
  expect(foldDigits(rows)).toEqual([
    rows[0],
    { id: 'again-2', title: 'Answer again 2–4 times', keys: ['g 2–4'] },
    rows[4],
  ]);
});
