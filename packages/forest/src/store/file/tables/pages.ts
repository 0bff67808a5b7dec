import { StoreError } from '../../store.ts';
import type { Files, PageFile } from '../disk.ts';

export const PAGE_BYTES = 4096;
const PAGE_WORDS = PAGE_BYTES / 4;
/** How many pages are allocated at once: few at first, because most stores are small. */
const FIRST_SLAB = 16;
const LARGEST_SLAB = 256;
const LEAST_PAGES = 2;

/**
 * A page in memory: a stretch of arrays that it shares with others, because an array of its own would cost more than a tenth
 * of what it holds. `base` is its first word. A page is valid until the next one is asked for.
 */
export interface Page {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  readonly numbers: Float64Array;
  readonly base: number;
  owner: PageList | undefined;
  index: number;
  /** Whether it was asked for since the last search for a page to evict. */
  isUsed: boolean;
  /** Whether it differs from where it would be read again. */
  isDirty: boolean;
}

/** A page of the index cannot be read. The index is made again from the segments. */
export class IndexDamage extends StoreError {
  constructor(cause?: unknown) {
    super(
      'store_failed',
      'A page of the index cannot be read. Repeat: the index is made again from the segments.',
      cause,
    );
  }
}

/** Where the pages of a list are read from when they are asked for: a part of a saved index. */
export interface SavedPages {
  readonly count: number;
  /** Throws an `IndexDamage` if the page is not as it was written. */
  read(index: number, into: Uint8Array): void;
}

/**
 * The pages of an index. A limited number of them is in memory; the others are in a scratch file, or where they were saved.
 * If the scratch file cannot be written, they all stay in memory.
 */
export class PageCache {
  readonly #limit: number;
  readonly #openScratch: () => PageFile;
  readonly #held: Page[] = [];
  readonly #free: Page[] = [];
  readonly #freeSlots: number[] = [];
  #scratch: PageFile | undefined;
  #slots = 0;
  #hand = 0;
  #isFixed = false;

  constructor(files: Pick<Files, 'scratch'>, folder: string, memory: number) {
    this.#limit = Math.max(LEAST_PAGES, Math.floor(memory / PAGE_BYTES));
    this.#openScratch = () => files.scratch(folder);
  }

  get limit(): number {
    return this.#limit;
  }

  /** A page for new contents, which are not cleared. */
  take(owner: PageList, index: number): Page {
    const page = this.#free.pop() ?? this.#evict() ?? this.#allocate();
    page.owner = owner;
    page.index = index;
    page.isDirty = false;
    return page;
  }

  /** Takes over pages that were read as a whole. */
  adopt(owner: PageList, bytes: Buffer): Page[] {
    const pages = slab(bytes);
    for (const [index, page] of pages.entries()) Object.assign(page, { owner, index, isDirty: true });
    for (const page of pages) this.#held.push(page);
    return pages;
  }

  release(page: Page): void {
    page.owner = undefined;
    this.#free.push(page);
  }

  releaseSlot(slot: number): void {
    this.#freeSlots.push(slot);
  }

  readSlot(slot: number, into: Uint8Array): void {
    try {
      if (this.#scratch?.read(into, slot * PAGE_BYTES) === PAGE_BYTES) return;
    } catch (error) {
      throw new IndexDamage(error);
    }
    throw new IndexDamage();
  }

  /** Closes the scratch file. The pages that are in memory stay there. */
  close(): void {
    this.#scratch?.close();
    this.#scratch = undefined;
    this.#isFixed = true;
  }

  #allocate(): Page {
    const room = this.#isFixed ? LARGEST_SLAB : this.#limit - this.#held.length;
    const count = Math.min(LARGEST_SLAB, room, Math.max(FIRST_SLAB, this.#held.length));
    const pages = slab(Buffer.from(new ArrayBuffer(count * PAGE_BYTES)));
    for (const page of pages) this.#held.push(page);
    this.#free.push(...pages.slice(1));
    return pages[0]!;
  }

  /** The page that has not been used for the longest time, about: the hand of a clock passes over those that were used. */
  #evict(): Page | undefined {
    if (this.#isFixed || this.#held.length < this.#limit) return undefined;
    for (;;) {
      this.#hand = this.#hand + 1 < this.#held.length ? this.#hand + 1 : 0;
      const page = this.#held[this.#hand]!;
      if (page.isUsed) {
        page.isUsed = false;
        continue;
      }
      if (page.isDirty && !this.#writeOut(page)) return undefined;
      page.owner!.forget(page.index);
      return page;
    }
  }

  #writeOut(page: Page): boolean {
    const known = page.owner!.slotOf(page.index);
    const slot = known ?? this.#freeSlots.pop() ?? this.#slots++;
    try {
      this.#scratch ??= this.#openScratch();
      this.#scratch.write(pageBytes(page), slot * PAGE_BYTES);
    } catch {
      // A full or read-only disk must not stop a reader.
      this.#isFixed = true;
      return false;
    }
    page.owner!.setSlot(page.index, slot);
    return true;
  }
}

/** Pages that are numbered from 0. Those that were never written are zeros. */
export class PageList {
  readonly #cache: PageCache;
  readonly #saved: SavedPages | undefined;
  readonly #pages: (Page | undefined)[] = [];
  /** 1 + the slot of each page in the scratch file; 0 for none. */
  readonly #slots: number[] = [];
  #isDropped = false;

  /** Begins with saved pages: those that are read on demand, or those that were read already. */
  constructor(cache: PageCache, saved?: SavedPages | Buffer) {
    this.#cache = cache;
    if (saved instanceof Uint8Array) this.#pages = cache.adopt(this, saved);
    else this.#saved = saved;
  }

  at(index: number): Page {
    const page = this.#pages[index] ?? this.#load(index);
    page.isUsed = true;
    return page;
  }

  /** The same for a page that the caller changes. */
  edit(index: number): Page {
    const page = this.at(index);
    page.isDirty = true;
    return page;
  }

  /** Copies a page without bringing it into memory. */
  copy(index: number, into: Uint8Array): void {
    const page = this.#pages[index];
    if (page) into.set(pageBytes(page));
    else this.#read(index, into);
  }

  forget(index: number): void {
    this.#pages[index] = undefined;
  }

  slotOf(index: number): number | undefined {
    const slot = this.#slots[index] ?? 0;
    return slot === 0 ? undefined : slot - 1;
  }

  setSlot(index: number, slot: number): void {
    while (this.#slots.length < index) this.#slots.push(0);
    this.#slots[index] = slot + 1;
  }

  /** Frees all pages. Whoever asks for one later gets an `IndexDamage`. */
  drop(): void {
    this.#isDropped = true;
    for (const page of this.#pages) if (page) this.#cache.release(page);
    for (const slot of this.#slots) if (slot > 0) this.#cache.releaseSlot(slot - 1);
    this.#pages.length = 0;
    this.#slots.length = 0;
  }

  #load(index: number): Page {
    const page = this.#cache.take(this, index);
    try {
      this.#read(index, pageBytes(page));
    } catch (error) {
      this.#cache.release(page);
      throw error;
    }
    while (this.#pages.length < index) this.#pages.push(undefined);
    this.#pages[index] = page;
    return page;
  }

  #read(index: number, into: Uint8Array): void {
    if (this.#isDropped) throw new IndexDamage();
    const slot = this.slotOf(index);
    if (slot !== undefined) this.#cache.readSlot(slot, into);
    else if (this.#saved && index < this.#saved.count) this.#saved.read(index, into);
    else into.fill(0);
  }
}

function slab(buffer: Buffer): Page[] {
  const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
  const words = new Uint32Array(buffer.buffer, buffer.byteOffset, buffer.length / 4);
  const numbers = new Float64Array(buffer.buffer, buffer.byteOffset, buffer.length / 8);
  return Array.from({ length: buffer.length / PAGE_BYTES }, (_, index) => {
    const base = index * PAGE_WORDS;
    return { bytes, words, numbers, base, owner: undefined, index: 0, isUsed: false, isDirty: false };
  });
}

function pageBytes({ bytes, base }: Page): Uint8Array {
  return bytes.subarray(base * 4, base * 4 + PAGE_BYTES);
}
