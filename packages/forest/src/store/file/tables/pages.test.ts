import { describe, expect, test } from 'vitest';
import type { PageFile } from '../disk.ts';
import { IndexDamage, PAGE_BYTES, PageCache, PageList } from './pages.ts';
import { RowMap, Rows } from './rows.ts';

/** A scratch file in memory. */
function scratchFile({ isFull = (): boolean => false } = {}) {
  const pages = new Map<number, Uint8Array>();
  const counts = { opened: 0, written: 0, closed: 0 };
  const file: PageFile = {
    size: () => pages.size * PAGE_BYTES,
    read(into, start) {
      into.set(pages.get(start)!);
      return into.length;
    },
    write(bytes, start) {
      if (isFull()) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      counts.written += 1;
      pages.set(start, Uint8Array.from(bytes));
    },
    close: () => void counts.closed++,
  };
  const scratch = (folder: string) => {
    expect(folder).toBe('/');
    counts.opened += 1;
    return file;
  };
  return { pages, file, counts, files: { scratch } };
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
    // The second row with its hash, and it stays so when its page has made room.
    map.replace(hashOf(50), 3050, 9998);
    for (let row = 0; row < 4000; row += 7) map.find(hashOf(row), (other) => other === row);
    for (const row of [50, 9998]) expect(map.find(hashOf(50), (other) => other === row)).toBe(row);
    expect(map.find(hashOf(50), (other) => other === 3050)).toBe(-1);
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
        const page = list.edit(round % 2 === 0 ? index : 29 - index);
        page.words[page.base] = index;
      }
      list.drop();
      expect(() => list.at(3)).toThrow(IndexDamage);
    }
    expect(pages.size).toBeLessThanOrEqual(30);
    expect(Math.min(...pages.keys())).toBe(0);
    expect(Math.max(...pages.keys())).toBe((pages.size - 1) * PAGE_BYTES);
    fill(new PageList(cache), 60);
    expect(Math.min(...pages.keys())).toBe(0);
  });
});

/** Writes a number into each page of a list. */
function fill(list: PageList, count: number, first = 1) {
  for (let index = 0; index < count; index++) {
    const page = list.edit(index);
    page.words[page.base] = first + index;
    page.words[page.base + PAGE_BYTES / 4 - 1] = first + index;
  }
}

function wordsOf(list: PageList, count: number) {
  return Array.from({ length: count }, (_, index) => {
    const page = list.at(index);
    expect(page.words[page.base + PAGE_BYTES / 4 - 1]).toBe(page.words[page.base]);
    return page.words[page.base];
  });
}

const numbers = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index);

describe('a cache', () => {
  test('has as many pages as fit into its memory, and two at least', () => {
    const { files, counts } = scratchFile();
    const limits = [0, 2, 2.9, 3, 1000].map((pages) => new PageCache(files, '/', pages * PAGE_BYTES).limit);
    expect(limits).toEqual([2, 2, 2, 3, 1000]);
    for (const [pages, written] of [
      [20, 0],
      [21, 1],
      [25, 5],
    ] as const) {
      counts.written = 0;
      const list = new PageList(new PageCache(files, '/', 20 * PAGE_BYTES));
      fill(list, pages);
      expect(counts.written, `${pages} pages`).toBe(written);
    }
  });

  test('writes the pages that changed, once', () => {
    const { files, counts } = scratchFile();
    const list = new PageList(new PageCache(files, '/', 4 * PAGE_BYTES));
    fill(list, 8);
    expect([wordsOf(list, 8), counts.opened]).toEqual([numbers(8), 1]);
    const written = counts.written;
    for (let round = 0; round < 5; round++) expect(wordsOf(list, 8)).toEqual(numbers(8));
    expect(counts.written).toBe(written);
    const changed = list.edit(0);
    changed.words[changed.base] = 77;
    for (let index = 1; index < 8; index++) list.at(index);
    list.at(1);
    for (let round = 0; round < 3; round++) for (let index = 1; index < 8; index++) list.at(index);
    expect([list.at(0).words[list.at(0).base], counts.written]).toEqual([77, written + 1]);
  });

  test('copies a page without bringing it into memory, wherever it is', () => {
    const { files } = scratchFile();
    const list = new PageList(new PageCache(files, '/', 2 * PAGE_BYTES));
    fill(list, 4);
    const [held, into] = [list.at(3), Buffer.alloc(PAGE_BYTES)];
    const words = [0, 1, 2, 3, 4].map((index) => {
      list.copy(index, into);
      return [into.readUInt32LE(0), into.readUInt32LE(PAGE_BYTES - 4)];
    });
    expect(words).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
      [0, 0],
    ]);
    expect(list.at(3)).toBe(held);
  });

  test('goes on in memory when it is closed', () => {
    const { files, counts } = scratchFile();
    const cache = new PageCache(files, '/', 3 * PAGE_BYTES);
    const list = new PageList(cache);
    fill(list, 3);
    cache.close();
    const later = new PageList(cache);
    fill(later, 600, 100);
    expect([wordsOf(list, 3), wordsOf(later, 600)]).toEqual([numbers(3), numbers(600, 100)]);
    expect(counts).toEqual({ opened: 0, written: 0, closed: 0 });
    const other = new PageCache(files, '/', 2 * PAGE_BYTES);
    fill(new PageList(other), 5);
    other.close();
    other.close();
    expect(counts.closed).toBe(1);
  });

  test('tells that its scratch file cannot be read, whether it fails or is too short', () => {
    const { files, file } = scratchFile();
    const list = new PageList(new PageCache(files, '/', 2 * PAGE_BYTES));
    fill(list, 5);
    file.read = () => PAGE_BYTES - 1;
    expect(() => list.at(0)).toThrow(IndexDamage);
    const cause = new Error('EIO');
    file.read = () => {
      throw cause;
    };
    expect(() => list.at(0)).toThrow(
      expect.objectContaining({
        cause,
        code: 'store_failed',
        message: 'A page of the index cannot be read. Repeat: the index is made again from the segments.',
      }),
    );
    // The page that was to take its contents is free again.
    file.read = (into) => into.fill(0).length;
    for (let times = 0; times < 10; times++) list.at(0);
    expect(list.at(4).words[list.at(4).base]).toBe(5);
  });
});

describe('saved pages', () => {
  const bytes = Buffer.from(new ArrayBuffer(3 * PAGE_BYTES));
  for (const index of [0, 1, 2])
    for (const at of [0, PAGE_BYTES - 4]) bytes.writeUInt32LE(index + 1, index * PAGE_BYTES + at);

  test('that were read as a whole are changed in memory, and written when there is no room', () => {
    const { files, counts } = scratchFile();
    const cache = new PageCache(files, '/', 3 * PAGE_BYTES);
    const list = new PageList(cache, Buffer.from(Uint8Array.from(bytes).buffer));
    expect([wordsOf(list, 3), counts.written]).toEqual([numbers(3), 0]);
    const more = new PageList(cache);
    fill(more, 4, 50);
    expect(counts.written).toBeGreaterThan(0);
    expect([wordsOf(list, 4), wordsOf(more, 4)]).toEqual([[1, 2, 3, 0], numbers(4, 50)]);
  });

  test('that are read on demand are read again, unless they changed', () => {
    const { files, counts } = scratchFile();
    const reads: number[] = [];
    const saved = {
      count: 3,
      read(index: number, into: Uint8Array) {
        reads.push(index);
        into.set(bytes.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES));
      },
    };
    const list = new PageList(new PageCache(files, '/', 2 * PAGE_BYTES), saved);
    for (let round = 0; round < 2; round++) expect(wordsOf(list, 4)).toEqual([1, 2, 3, 0]);
    expect(reads).not.toContain(3);
    expect([reads.length > 3, counts.written]).toEqual([true, 0]);
    fill(list, 4, 70);
    reads.length = 0;
    expect([wordsOf(list, 4), reads]).toEqual([numbers(4, 70), []]);
  });
});
