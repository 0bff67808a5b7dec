import type { EntryRecord } from '../../model/records.ts';
import type { Change } from '../../store/index.ts';
import { EXCHANGES } from '../exchange.ts';
import type { RecordingForest } from '../recorder.ts';
import type { FoldedState, ProjectionLimits } from './fact-base.ts';
import { closeLost, loadExchanges } from './load-exchanges.ts';

/**
 * How many exchanges are placed before the store is asked for changes again. Placing one writes about sixteen records, each of
 * them a change, and a store may remember only the last ten thousand: whoever falls behind has to read everything again.
 */
const PLACED_AT_ONCE = 200;

/** How often it is asked whether other processes that are recording something live. */
const ASK_AGAIN_MS = 30_000;

/** Finds the exchanges of a store that a projection has not placed: all that are not in its stored facts, and then those that change. */
export class UnplacedExchanges {
  /** Exchanges that have not ended. */
  readonly open = new Map<string, EntryRecord>();
  /** Exchanges whose parts are missing. */
  readonly unread = new Set<string>();
  readonly #forest: RecordingForest;
  readonly #limits: ProjectionLimits;
  readonly #begin: () => Promise<FoldedState | undefined>;
  #cursor: string | undefined;
  /** Records of exchanges that were found before the cursor, and are not placed yet. */
  readonly #found = new Map<string, EntryRecord>();
  /** When it was last asked whether the processes of open exchanges live. */
  #askedAt = Number.NEGATIVE_INFINITY;
  /** Up to which position all exchanges have been read, while a process that begins has not read all of them. */
  #readTo: string | undefined;

  /** `begin` forgets all that is in memory, and returns which exchanges its stored facts are made of. */
  constructor(forest: RecordingForest, limits: ProjectionLimits, begin: () => Promise<FoldedState | undefined>) {
    this.#forest = forest;
    this.#limits = limits;
    this.#begin = begin;
  }

  /** A cursor of the store's changes; everything before it was seen. Undefined if all exchanges are to be read. */
  get cursor(): string | undefined {
    return this.#cursor;
  }

  /** The next look begins again with all exchanges. */
  forget(): void {
    this.open.clear();
    this.unread.clear();
    this.#cursor = undefined;
    this.#found.clear();
  }

  /** The exchange records that changed since the last look, in parts. */
  async *news(): AsyncGenerator<readonly EntryRecord[]> {
    for (;;) {
      if (this.#cursor === undefined) yield* this.#everything();
      if (this.#cursor === undefined || !(await this.#lookForChanges())) continue;
      const part = [...this.#found.values()].sort(byOrder).slice(0, PLACED_AT_ONCE);
      for (const { id } of part) this.#found.delete(id);
      yield part;
      if (this.#found.size === 0) return;
    }
  }

  /** Whether all exchanges up to a position have been read. */
  hasRead(order: string): boolean {
    return this.#readTo === undefined || order <= this.#readTo;
  }

  /** Exchanges up to a position that are not placed. */
  pendingTo(last: string): string[] {
    const found = [...this.#found.values()].map(({ id, order }) => [id, order] as const);
    const open = [...this.open.values()].map(({ id, order }) => [id, order] as const);
    const waiting = [...open, ...found].filter(([, order]) => order <= last).map(([id]) => id);
    return [...waiting, ...this.unread];
  }

  /** The records of all exchanges whose facts are not stored. */
  async *#everything(): AsyncGenerator<readonly EntryRecord[]> {
    // What is stored from here on is found among the changes.
    const { next } = await this.#forest.store.changes();
    let state = await this.#begin();
    this.#cursor = next;
    const position = state?.position ?? '';
    this.#readTo = position;
    this.#askedAt = performance.now();
    // None that is in the first page is read again as a late one.
    const size = state ? this.#limits.steps + this.#limits.every : PLACED_AT_ONCE;
    for await (const page of loadExchanges(this.#forest, position, size)) {
      if (state) yield this.#readLate(state, page);
      state = undefined;
      for (let at = 0; at < page.length; at += PLACED_AT_ONCE) {
        const part = page.slice(at, at + PLACED_AT_ONCE);
        this.#readTo = part.at(-1)!.order;
        yield part;
        if (!(await this.#lookForChanges())) return;
      }
    }
    this.#readTo = undefined;
  }

  /** Finds the exchange records that changed since the last look. Returns false if the store no longer knows which. */
  async #lookForChanges(): Promise<boolean> {
    const { items, next, reset } = await this.#forest.store.changes(this.#cursor);
    this.#cursor = reset ? undefined : next;
    if (reset) return false;
    for (const entry of await this.#readChanged(items)) this.#found.set(entry.id, entry);
    await this.#lookForLost();
    return true;
  }

  /** A process that died may have seemed to live when its exchanges were found. */
  async #lookForLost(): Promise<void> {
    if (performance.now() - this.#askedAt < ASK_AGAIN_MS) return;
    this.#askedAt = performance.now();
    const left = [...this.open.values()].filter(({ id }) => !this.#found.has(id));
    for (const entry of await closeLost(this.#forest, left)) this.#found.set(entry.id, entry);
  }

  /** Exchanges that ended or came after the facts of their time were stored. They come first: others may continue them. */
  async #readLate(state: FoldedState, others: readonly EntryRecord[]): Promise<EntryRecord[]> {
    const { items, reset } = await this.#forest.store.changes(state.cursor);
    const pending = state.pending.map((key): Change => ({ kind: 'exchange', key, of: EXCHANGES }));
    const seen = new Set(others.map(({ id }) => id));
    const changed = await this.#readChanged([...pending, ...(reset ? [] : items)].filter(({ key }) => !seen.has(key)));
    return closeLost(
      this.#forest,
      changed.filter(({ order }) => order <= state.position),
    );
  }

  async #readChanged(items: readonly Change[]): Promise<EntryRecord[]> {
    const ids = items.flatMap(({ kind, key, of = '' }) => {
      if (kind !== 'exchange') return [];
      // A part that was missing has arrived.
      return of === EXCHANGES ? [key] : this.unread.has(of) ? [of] : [];
    });
    const entries = await Promise.all([...new Set(ids)].map((id) => this.#forest.store.entry('exchange', id)));
    return entries.filter((entry) => entry !== undefined);
  }
}

function byOrder(a: EntryRecord, b: EntryRecord): number {
  return a.order < b.order ? -1 : 1;
}
