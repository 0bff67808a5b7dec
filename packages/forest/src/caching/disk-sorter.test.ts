import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { createDiskSorter } from './disk-sorter.ts';

/** Lines in no order, some of them twice, with characters of one to four bytes. */
function someLines(count: number): string[] {
  return Array.from(
    { length: count },
    (_, at) => `${(at * 7919) % 500} ä ${String.fromCodePoint(0x1f600 + (at % 70))}`,
  );
}

function sortFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('skein-sort-'));
}

test.each([
  ['in memory', 2 ** 20],
  ['in some files', 2000],
  ['in more files than are merged at once', 60],
])('sorts lines %s as an array sorts them, and removes its files', async (_, most) => {
  const lines = someLines(900);
  const before = sortFolders();
  const sorter = createDiskSorter(most);
  for (const line of lines) await sorter.add(line);
  const made = sortFolders().filter((name) => !before.includes(name));
  const sorted: string[] = [];
  for await (const line of sorter.sorted()) sorted.push(line);
  sorter.close();
  expect(sorted).toEqual([...lines].sort());
  for (const name of made) expect(existsSync(`${tmpdir()}/${name}`)).toBe(false);
});

test('a sort that is left early leaves no file open and no folder behind', async () => {
  const sorter = createDiskSorter(100);
  for (const line of someLines(200)) await sorter.add(line);
  for await (const line of sorter.sorted()) {
    expect(line).toBe([...someLines(200)].sort()[0]);
    break;
  }
  sorter.close();
});
