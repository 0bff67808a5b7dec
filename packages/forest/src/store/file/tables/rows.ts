import { PAGE_BYTES, type PageCache, PageList, type SavedPages } from './pages.ts';

/** The place of a record. A length of 0 means that there is none. */
export interface RecordPlace {
  /** The number of the segment. */
  readonly segment: number;
  readonly start: number;
  readonly length: number;
}

/** A list of pages as it is saved, with the number of rows or entries in it. */
export interface SavedList {
  readonly pages: SavedPages | Buffer;
  readonly count: number;
}

const PAGE_WORDS = PAGE_BYTES / 4;

/**
 * Rows of a fixed width in pages, numbered from 0. Each row is a number of words of 32 bits, and begins with the place of its
 * record; a number of 64 bits takes two words, of which the first is even. All members of a row are in one page, so that
 * looking at a row reads one page.
 */
export class Rows {
  readonly #pages: PageList;
  readonly #width: number;
  readonly #perPage: number;
  #count: number;

  /** `width` is the number of words, and even. */
  constructor(cache: PageCache, width: number, saved?: SavedList) {
    this.#pages = new PageList(cache, saved?.pages);
    this.#width = width;
    this.#perPage = Math.floor(PAGE_WORDS / width);
    this.#count = saved?.count ?? 0;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a row of zeros and returns its number. */
  add(): number {
    this.#count += 1;
    return this.#count - 1;
  }

  word(row: number, at: number): number {
    const index = (row / this.#perPage) | 0;
    const page = this.#pages.at(index);
    return page.words[page.base + (row - index * this.#perPage) * this.#width + at]!;
  }

  setWord(row: number, at: number, value: number): void {
    const index = (row / this.#perPage) | 0;
    const page = this.#pages.edit(index);
    page.words[page.base + (row - index * this.#perPage) * this.#width + at] = value;
  }

  number(row: number, at: number): number {
    const index = (row / this.#perPage) | 0;
    const page = this.#pages.at(index);
    return page.numbers[(page.base + (row - index * this.#perPage) * this.#width + at) >> 1]!;
  }

  setNumber(row: number, at: number, value: number): void {
    const index = (row / this.#perPage) | 0;
    const page = this.#pages.edit(index);
    page.numbers[(page.base + (row - index * this.#perPage) * this.#width + at) >> 1] = value;
  }

  /** Whether the words from `at` on are those of a key. */
  hasKey(row: number, at: number, key: Uint32Array): boolean {
    const index = (row / this.#perPage) | 0;
    const page = this.#pages.at(index);
    const start = page.base + (row - index * this.#perPage) * this.#width + at;
    for (let word = 0; word < key.length; word++) if (page.words[start + word] !== key[word]) return false;
    return true;
  }

  setKey(row: number, at: number, key: Uint32Array): void {
    for (let word = 0; word < key.length; word++) this.setWord(row, at + word, key[word]!);
  }

  /** Copies the words from `at` on. */
  readKey(row: number, at: number, key: Uint32Array): Uint32Array {
    for (let word = 0; word < key.length; word++) key[word] = this.word(row, at + word);
    return key;
  }

  /** The first byte of the words from `at` on. */
  byte(row: number, at: number): number {
    const index = (row / this.#perPage) | 0;
    const page = this.#pages.at(index);
    return page.bytes[(page.base + (row - index * this.#perPage) * this.#width + at) * 4]!;
  }

  /** The place of the record of a row; undefined if there is none. */
  place(row: number): RecordPlace | undefined {
    if (!this.hasPlace(row)) return undefined;
    return { segment: this.word(row, SEGMENT), start: this.number(row, START), length: this.word(row, LENGTH) };
  }

  hasPlace(row: number): boolean {
    return row >= 0 && row < this.#count && this.word(row, LENGTH) > 0;
  }

  setPlace(row: number, { segment, start, length }: RecordPlace): void {
    this.setNumber(row, START, start);
    this.setWord(row, SEGMENT, segment);
    this.setWord(row, LENGTH, length);
  }

  /** Its pages, to be saved. */
  save(): ListToSave {
    return { pages: this.#pages, pageCount: Math.ceil(this.#count / this.#perPage), count: this.#count };
  }

  drop(): void {
    this.#pages.drop();
  }
}

const START = 0;
const SEGMENT = 2;
const LENGTH = 3;
/** The words of a place, with which each row begins. */
export const PLACE_WORDS = 4;

/** A list of pages that is to be saved. */
export interface ListToSave {
  readonly pages: PageList;
  readonly pageCount: number;
  readonly count: number;
}

const SLOTS_PER_PAGE = PAGE_WORDS / 2;

/**
 * Finds rows by a hash: open addressing, with the hash and row + 1 in each slot, and 0 for none. With the hash in the slot, no
 * other page is read for a key that is not there, nor to grow. The caller compares keys. Rows are never removed.
 */
export class RowMap {
  readonly #cache: PageCache;
  #pages: PageList;
  #pageCount: number;
  #count: number;

  constructor(cache: PageCache, saved?: SavedList) {
    this.#cache = cache;
    this.#pages = new PageList(cache, saved?.pages);
    this.#pageCount = saved ? pageCount(saved.pages) : 1;
    this.#count = saved?.count ?? 0;
  }

  /** The row with this hash for which `isIt` holds, or -1. */
  find(hash: number, isIt: (row: number) => boolean): number {
    const mask = this.#pageCount * SLOTS_PER_PAGE - 1;
    const wanted = hash >>> 0;
    for (let slot = wanted & mask; ; slot = (slot + 1) & mask) {
      const page = this.#pages.at((slot / SLOTS_PER_PAGE) | 0);
      const word = page.base + (slot % SLOTS_PER_PAGE) * 2;
      const held = page.words[word + 1]!;
      if (held === 0) return -1;
      if (page.words[word] === wanted && isIt(held - 1)) return held - 1;
    }
  }

  /** Adds a row that is not there yet. */
  add(hash: number, row: number): void {
    if (this.#count * 3 >= this.#pageCount * SLOTS_PER_PAGE * 2) this.#grow();
    this.#place(hash >>> 0, row + 1);
    this.#count += 1;
  }

  /** Replaces a row by another one with the same key. */
  replace(hash: number, old: number, row: number): void {
    const mask = this.#pageCount * SLOTS_PER_PAGE - 1;
    for (let slot = (hash >>> 0) & mask; ; slot = (slot + 1) & mask) {
      const page = this.#pages.at((slot / SLOTS_PER_PAGE) | 0);
      const word = page.base + (slot % SLOTS_PER_PAGE) * 2;
      if (page.words[word + 1] !== old + 1) continue;
      page.words[word + 1] = row + 1;
      page.isDirty = true;
      return;
    }
  }

  save(): ListToSave {
    return { pages: this.#pages, pageCount: this.#pageCount, count: this.#count };
  }

  drop(): void {
    this.#pages.drop();
  }

  #place(hash: number, held: number): void {
    const mask = this.#pageCount * SLOTS_PER_PAGE - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const page = this.#pages.at((slot / SLOTS_PER_PAGE) | 0);
      const word = page.base + (slot % SLOTS_PER_PAGE) * 2;
      if (page.words[word + 1] !== 0) continue;
      page.words[word] = hash;
      page.words[word + 1] = held;
      page.isDirty = true;
      return;
    }
  }

  /** Doubles the slots. The entries of one old page go to two new ones, so both are read from front to end. */
  #grow(): void {
    const [old, oldCount] = [this.#pages, this.#pageCount];
    this.#pages = new PageList(this.#cache);
    this.#pageCount = oldCount * 2;
    const copy = new Uint32Array(PAGE_WORDS);
    const bytes = new Uint8Array(copy.buffer);
    for (let index = 0; index < oldCount; index++) {
      old.copy(index, bytes);
      for (let word = 0; word < PAGE_WORDS; word += 2)
        if (copy[word + 1] !== 0) this.#place(copy[word]!, copy[word + 1]!);
    }
    old.drop();
  }
}

function pageCount(pages: SavedPages | Buffer): number {
  return pages instanceof Uint8Array ? pages.length / PAGE_BYTES : pages.count;
}

/** Rows with a key that is a hash itself. Row numbers are assigned in order. */
export class KeyTable {
  readonly rows: Rows;
  readonly #map: RowMap;
  readonly #at: number;
  /** The key that is looked for: its bytes, and the same as words. */
  readonly key: Uint8Array;
  readonly #words: Uint32Array;
  readonly #isKey = (row: number) => this.rows.hasKey(row, this.#at, this.#words);

  /** `at` is the first word of the key in a row, `bytes` its length. */
  constructor(
    cache: PageCache,
    { width, at, bytes }: { readonly width: number; readonly at: number; readonly bytes: number },
    saved?: { readonly rows: SavedList; readonly map: SavedList },
  ) {
    this.rows = new Rows(cache, width, saved?.rows);
    this.#map = new RowMap(cache, saved?.map);
    this.#at = at;
    this.#words = new Uint32Array(bytes / 4);
    this.key = new Uint8Array(this.#words.buffer);
  }

  /** The row of `key`; -1 if there is none. */
  find(): number {
    return this.#map.find(this.#words[0]!, this.#isKey);
  }

  /** Adds a row for `key`, which has none. */
  add(): number {
    const row = this.rows.add();
    this.rows.setKey(row, this.#at, this.#words);
    this.#map.add(this.#words[0]!, row);
    return row;
  }

  /** The key of a row, in hexadecimal digits. */
  hexOf(row: number): string {
    return Buffer.from(this.rows.readKey(row, this.#at, new Uint32Array(this.#words.length)).buffer).toString('hex');
  }

  save(): { readonly rows: ListToSave; readonly map: ListToSave } {
    return { rows: this.rows.save(), map: this.#map.save() };
  }

  drop(): void {
    this.rows.drop();
    this.#map.drop();
  }
}
