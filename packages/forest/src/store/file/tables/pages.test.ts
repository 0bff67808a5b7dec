import { describe, expect, test } from 'vitest';
import type { PageFile } from '../disk.ts';
import { IndexDamage, PAGE_BYTES, PageCache, PageList } from './pages.ts';
import { RowMap, Rows } from './rows.ts';

/** A scratch file in memory. */
function scratchFile({ isFull = (): boolean => false } = {}) {
  const pages = new Map<number, Uint8Array>();
  const file: PageFile = {
    size: () => pages.size * PAGE_BYTES,
    read(into, start) {
      into.set(pages.get(start)!);
      return into.length;
    },
    write(bytes, start) {
      if (isFull()) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      pages.set(start, Uint8Array.from(bytes));
    },
    close: () => undefined,
  };
  return { pages, files: { scratch: () => file } };
}

describe('pages', () => {
  test('keep what was written, however few of them are in memory', () => {
    const { files, pages } = scratchFile();
    const cache = new PageCache(files, '/', 3 * PAGE_BYTES);
    const rows = new Rows(cache, 6);
    for (let row = 0; row < 5000; row++) {
      rows.add();
      rows.setWord(row, 3, row * 7);
      rows.setNumber(row, 4, row / 3);
    }
    expect(pages.size).toBeGreaterThan(20);
    for (let row = 4999; row >= 0; row -= 13) {
      expect(rows.word(row, 3)).toBe(row * 7);
      expect(rows.number(row, 4)).toBe(row / 3);
      expect(rows.word(row, 2)).toBe(0);
    }
  });

  test('find every row by its hash while the map grows, and none that was not added', () => {
    const { files } = scratchFile();
    const map = new RowMap(new PageCache(files, '/', 2 * PAGE_BYTES));
    // Many rows share a hash.
    const hashOf = (row: number) => Math.imul(row % 3000, 0x9e3779b1);
    for (let row = 0; row < 4000; row++) map.add(hashOf(row), row);
    for (let row = 0; row < 4000; row += 7) expect(map.find(hashOf(row), (other) => other === row)).toBe(row);
    expect(map.find(12345, () => true)).toBe(-1);
    map.replace(hashOf(50), 50, 9999);
    expect(map.find(hashOf(50), (row) => row === 9999)).toBe(9999);
    expect(map.find(hashOf(50), (row) => row === 50)).toBe(-1);
  });

  test('stay in memory if the scratch file cannot be written', () => {
    const state = { isFull: false };
    const { files } = scratchFile({ isFull: () => state.isFull });
    const rows = new Rows(new PageCache(files, '/', 2 * PAGE_BYTES), 4);
    for (let row = 0; row < 3000; row++) {
      state.isFull = row > 1500;
      rows.add();
      rows.setWord(row, 3, row);
    }
    for (let row = 0; row < 3000; row++) expect(rows.word(row, 3)).toBe(row);
  });

  test('use the room of dropped lists again, and tell whoever still asks for those', () => {
    const { files, pages } = scratchFile();
    const cache = new PageCache(files, '/', 4 * PAGE_BYTES);
    for (let round = 0; round < 20; round++) {
      const list = new PageList(cache);
      for (let index = 0; index < 30; index++) {
        const page = list.edit(index);
        page.words[page.base] = index;
      }
      list.drop();
      expect(() => list.at(3)).toThrow(IndexDamage);
    }
    expect(pages.size).toBeLessThanOrEqual(30);
  });
});
