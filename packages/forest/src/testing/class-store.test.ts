import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { fileStore, memoryStore, type Store } from '../store/index.ts';
import { storeConformance } from '../testing.ts';

/** A store as people write them: a class whose methods use what is private. */
class PrivateStore implements Store {
  readonly #inner: Store;

  constructor(inner: Store) {
    this.#inner = inner;
  }

  get writer(): string {
    return this.#inner.writer;
  }

  append(...args: Parameters<Store['append']>) {
    return this.#inner.append(...args);
  }
  nodes(...args: Parameters<Store['nodes']>) {
    return this.#inner.nodes(...args);
  }
  idsLike(...args: Parameters<Store['idsLike']>) {
    return this.#inner.idsLike(...args);
  }
  path(...args: Parameters<Store['path']>) {
    return this.#inner.path(...args);
  }
  children(...args: Parameters<Store['children']>) {
    return this.#inner.children(...args);
  }
  childCounts(...args: Parameters<Store['childCounts']>) {
    return this.#inner.childCounts(...args);
  }
  scan(...args: Parameters<Store['scan']>) {
    return this.#inner.scan(...args);
  }
  deepest(...args: Parameters<Store['deepest']>) {
    return this.#inner.deepest(...args);
  }
  byEcho(...args: Parameters<Store['byEcho']>) {
    return this.#inner.byEcho(...args);
  }
  bodies(...args: Parameters<Store['bodies']>) {
    return this.#inner.bodies(...args);
  }
  takes(...args: Parameters<Store['takes']>) {
    return this.#inner.takes(...args);
  }
  refs(...args: Parameters<Store['refs']>) {
    return this.#inner.refs(...args);
  }
  entry(...args: Parameters<Store['entry']>) {
    return this.#inner.entry(...args);
  }
  entries(...args: Parameters<Store['entries']>) {
    return this.#inner.entries(...args);
  }
  search(...args: Parameters<Store['search']>) {
    return this.#inner.search(...args);
  }
  changes(...args: Parameters<Store['changes']>) {
    return this.#inner.changes(...args);
  }
  watch(...args: Parameters<Store['watch']>) {
    return this.#inner.watch(...args);
  }
  isAlive(...args: Parameters<Store['isAlive']>) {
    return this.#inner.isAlive(...args);
  }
  problems() {
    return this.#inner.problems();
  }
  check() {
    return this.#inner.check();
  }
  compact(...args: Parameters<Store['compact']>) {
    return this.#inner.compact(...args);
  }
  close() {
    return this.#inner.close();
  }
}

describe('a class with private fields is a store like any other', () => {
  const alone = async () => ({ store: new PrivateStore(memoryStore()) });
  test.each(storeConformance('class', alone, false))('$name', ({ run }) => run());

  const shared = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skein-class-'));
    const open = async () => new PrivateStore(await fileStore(folder));
    return { store: await open(), again: open, end: () => rm(folder, { recursive: true }) };
  };
  // The file store itself passes the others.
  const ofForests = storeConformance('shared class', shared).filter(({ name }) => name.includes('a forest on it'));
  test.each(ofForests)('$name', ({ run }) => run());
});
