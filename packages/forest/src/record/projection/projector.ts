import type { EntryRecord } from '../../model/records.ts';
import type { Change, Store } from '../../store/index.ts';
import { EXCHANGES, readExchangeRecord } from '../exchange.ts';
import type { ExchangeContent } from '../read-exchange.ts';
import type { RecordingForest } from '../recorder.ts';
import { sliceWork } from '../turns.ts';
import { FactBase, FactsReplaced, type FoldedState, LIMITS, latePosition, type ProjectionLimits } from './fact-base.ts';
import { closeLost, loadExchanges } from './load-exchanges.ts';
import { type PlacementStep, placeExchange } from './place-exchange.ts';
import { createReadingAhead } from './reading-ahead.ts';
import { createRecordedIndex, type IndexStep, type RecordedIndex } from './recorded-index.ts';
import { createTreeWriter } from './tree-writer.ts';

/** Keeps the recorded tree up to date with the stored exchanges. */
interface Projector {
  /** Places the exchanges that were stored since the last run, by this or any other process. */
  run(): Promise<void>;
  /** Reads and places all exchanges again. */
  rebuild(): Promise<ProjectionCounts>;
}

/** How many exchanges a projection placed. */
export interface ProjectionCounts {
  readonly exchanges: number;
  readonly landed: number;
  readonly waiting: number;
  readonly nothing: number;
  /** The number of nodes that moved; their old ids redirect to the new ones. */
  readonly moved: number;
}

/**
 * How many of the last steps can be undone if the store keeps no facts. An exchange that arrives later than that makes all
 * exchanges be read again.
 */
const STEPS_KEPT = 10_000;

/**
 * How many exchanges are placed before the store is asked for changes again. Placing one writes about sixteen records, each of
 * them a change, and a store may remember only the last ten thousand: whoever falls behind has to read everything again.
 */
const PLACED_AT_ONCE = 200;

/** An exchange to be placed. */
interface QueuedExchange {
  readonly id: string;
  readonly clock: string;
  /** Its position by start time. */
  readonly natural: string;
  /** Its actual position: the same, or after a later exchange that it continues. */
  readonly order: string;
  /** Its record, if it has just been read. */
  readonly entry?: EntryRecord;
}

interface AppliedExchange extends QueuedExchange {
  step: IndexStep | undefined;
}

/** Why an exchange is not in the order of start times. */
interface Reordering {
  readonly order: string;
  /** The position of the exchange that it continues. */
  readonly by: string;
  readonly natural: string;
  /**
   * The exchanges that it was moved behind so far. It moves behind each only once, so that two that seem to continue
   * each other do not move for ever.
   */
  readonly behind: readonly string[];
}

const projectors = new WeakMap<Store, Projector>();

/** The projector of a store. All recorders of a store in this process share it; the first one sets its limits. */
export function sharedProjector(forest: RecordingForest, limits?: ProjectionLimits): Projector {
  const there = projectors.get(forest.store);
  if (there) return there;
  const made = createProjector(forest, limits);
  projectors.set(forest.store, made);
  return made;
}

/**
 * Reads every exchange again and rebuilds the recorded tree. The result depends on the exchanges alone.
 *
 * @example
 * const { landed, moved } = await reproject(forest);
 */
export async function reproject(forest: RecordingForest): Promise<ProjectionCounts> {
  return sharedProjector(forest).rebuild();
}

/** `memory` counts what is kept of the exchanges. */
export function createProjector(
  forest: RecordingForest,
  limits: ProjectionLimits = LIMITS,
): Projector & { memory(): { readonly steps: number; readonly rows: number } } {
  const { store } = forest;
  const writer = createTreeWriter(forest);
  const base = store.facts && new FactBase(store.facts, limits.rows);
  let index: RecordedIndex = createRecordedIndex();
  let applied: AppliedExchange[] = [];
  /** The clock of each exchange record that was placed and is not folded. */
  let clocks = new Map<string, string>();
  /** Exchanges that were moved behind a later one. */
  let moved = new Map<string, Reordering>();
  /** Exchanges that have not ended, with their positions. */
  let open = new Map<string, string>();
  /** Exchanges whose parts are missing. */
  let unread = new Set<string>();
  /** The position of the last exchange whose facts are stored. */
  let position = '';
  let folded = { exchanges: 0, landed: 0, waiting: 0, nothing: 0 };
  let cursor: string | undefined;
  /** Records of exchanges that were found before the cursor, and are not placed yet. */
  let found = new Map<string, EntryRecord>();
  /** Up to which position all exchanges have been read, while a process that begins has not read all of them. */
  let readTo: string | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** The exchange records that changed since the last look, in parts. */
  async function* news(): AsyncGenerator<readonly EntryRecord[]> {
    for (;;) {
      if (cursor === undefined) {
        forget();
        yield* everything();
      }
      if (cursor === undefined || !(await lookForChanges())) continue;
      const part = [...found.values()].sort(byOrder).slice(0, PLACED_AT_ONCE);
      for (const { id } of part) found.delete(id);
      yield part;
      if (found.size === 0) return;
    }
  }

  /** The records of all exchanges whose facts are not stored. */
  async function* everything(): AsyncGenerator<readonly EntryRecord[]> {
    cursor = (await store.changes()).next;
    const opened = await base?.open();
    if (opened) index = opened.index;
    let state = opened?.state;
    position = state?.position ?? '';
    readTo = position;
    // None that is in the first page is read again as a late one.
    const size = state ? limits.steps + limits.every : PLACED_AT_ONCE;
    for await (const page of loadExchanges(forest, position, size)) {
      if (state) yield readLate(state, page);
      state = undefined;
      for (let at = 0; at < page.length; at += PLACED_AT_ONCE) {
        const part = page.slice(at, at + PLACED_AT_ONCE);
        readTo = part.at(-1)!.order;
        yield part;
        if (!(await lookForChanges())) return;
      }
    }
    readTo = undefined;
  }

  /** Finds the exchange records that changed since the last look. Returns false if the store no longer knows which. */
  const lookForChanges = async (): Promise<boolean> => {
    const { items, next, reset } = await store.changes(cursor);
    cursor = reset ? undefined : next;
    if (reset) return false;
    for (const entry of await readChanged(items)) found.set(entry.id, entry);
    return true;
  };

  /** Exchanges that ended or came after the facts of their time were stored. They come first: others may continue them. */
  const readLate = async (state: FoldedState, others: readonly EntryRecord[]): Promise<EntryRecord[]> => {
    const { items, reset } = await store.changes(state.cursor);
    const pending = state.pending.map((key): Change => ({ kind: 'exchange', key, of: EXCHANGES }));
    const seen = new Set(others.map(({ id }) => id));
    const changed = await readChanged([...pending, ...(reset ? [] : items)].filter(({ key }) => !seen.has(key)));
    return closeLost(
      forest,
      changed.filter(({ order }) => order <= state.position),
    );
  };

  const readChanged = async (items: readonly Change[]): Promise<EntryRecord[]> => {
    const ids = items.flatMap(({ kind, key, of = '' }) => {
      if (kind !== 'exchange') return [];
      // A part that was missing has arrived.
      return of === EXCHANGES ? [key] : unread.has(of) ? [of] : [];
    });
    const entries = await Promise.all([...new Set(ids)].map((id) => store.entry('exchange', id)));
    return entries.filter((entry) => entry !== undefined);
  };

  const apply = async (item: QueuedExchange, reading: ExchangeContent): Promise<PlacementStep> => {
    let step: IndexStep | undefined;
    const placed = await index.read(() => {
      step?.undo();
      step = index.step();
      return placeExchange(index, reading);
    });
    const { id, clock, natural, order } = item;
    applied.push({ id, clock, natural, order, step });
    clocks.set(item.id, item.clock);
    base?.trim();
    const old = base ? undefined : applied.at(-STEPS_KEPT - 1);
    if (old) old.step = undefined;
    return placed;
  };

  /** Undoes all steps from a position on, last first, and returns them. */
  const rollBack = (order: string): AppliedExchange[] => {
    const at = applied.findLastIndex((one) => one.order < order) + 1;
    if (at === applied.length) return [];
    if (applied[at]!.step === undefined) {
      index = createRecordedIndex();
      return applied.splice(0);
    }
    const taken = applied.splice(at);
    for (const { step } of taken.toReversed()) step!.undo();
    return taken;
  };

  /** Places new exchanges. Returns how many nodes moved; undefined if there was nothing new. */
  const takeIn = async (entries: readonly EntryRecord[]): Promise<number | undefined> => {
    const todo: QueuedExchange[] = [];
    for (const entry of entries) {
      const exchange = readExchangeRecord(entry);
      if (!exchange) continue;
      const { id, order, clock } = entry;
      if (exchange.outcome === 'open') open.set(id, order);
      else open.delete(id);
      if (exchange.outcome === 'open' || clocks.get(id) === clock) continue;
      const natural = order > position ? order : latePosition(exchange, position);
      todo.push({ id, clock, natural, order: natural, entry });
    }
    if (todo.length === 0) return undefined;
    const first = todo.reduce((least, { order }) => (order < least ? order : least), todo[0]!.order);
    await applyInOrder([...rollBack(forgetMoves(first)).map(inPlace), ...todo]);
    return writer.commit(index);
  };

  /** Forgets reorderings whose cause may have changed. Returns the first position that is affected. */
  const forgetMoves = (from: string): string => {
    let first = from;
    for (let size = -1; size !== moved.size; ) {
      size = moved.size;
      for (const [id, { by, natural }] of moved) {
        if (by < first) continue;
        moved.delete(id);
        if (natural < first) first = natural;
      }
    }
    return first;
  };

  const applyInOrder = async (items: readonly QueuedExchange[]): Promise<void> => {
    // A stack: the next exchange is the last one. If an exchange is there twice, the newer record counts.
    const queue = [...new Map(items.map((one) => [one.id, one])).values()].sort(lastFirst);
    const ahead = createReadingAhead(forest, () => index);
    await writer.prepare(queue.map(({ id }) => id));
    const turn = sliceWork();
    for (let item = queue.at(-1); item; item = queue.at(-1)) {
      const reading = await ahead.readLast(queue);
      queue.pop();
      unread.delete(item.id);
      if (!reading) {
        unread.add(item.id);
        continue;
      }
      const step = await apply(item, reading);
      await writer.add(step);
      await turn();
      // Exchanges that belong behind this one, and all between, are placed again before the rest.
      queue.push(...moveBehind(step.behind, item).sort(lastFirst));
    }
  };

  /** Moves exchanges behind a later one whose reply they continue; the clocks of two servers differ. */
  const moveBehind = (ids: readonly string[], { id: mover, order }: QueuedExchange): QueuedExchange[] => {
    if (ids.length === 0) return [];
    let first: string | undefined;
    let left = ids.length;
    for (let at = applied.length - 1; at >= 0 && left > 0; at--) {
      const { id, natural, order: now } = applied[at]!;
      if (!ids.includes(id)) continue;
      left -= 1;
      const behind = moved.get(id)?.behind ?? [];
      if (behind.includes(mover)) continue;
      moved.set(id, { order: `${order}~${natural}`, by: order, natural, behind: [...behind, mover] });
      first = now;
    }
    return first === undefined ? [] : rollBack(first).map(inPlace);
  };

  const inPlace = ({ id, clock, natural }: QueuedExchange): QueuedExchange => ({
    id,
    clock,
    natural,
    order: moved.get(id)?.order ?? natural,
  });

  /** Stores the facts of the first steps when there are too many in memory. */
  const fold = async (): Promise<void> => {
    if (!base || applied.length < limits.steps + limits.every) return;
    // A late exchange has its place behind those that are still to be read.
    const isRead = ({ order }: AppliedExchange) => readTo === undefined || order <= readTo;
    const end = Math.min(applied.length - limits.steps, applied.findLastIndex(isRead) + 1);
    if (end === 0) return;
    const first = applied.slice(0, end);
    const kept = applied.slice(end);
    const last = first.at(-1)!.order;
    countFolded(first);
    const unplaced = [...found.values()].map(({ id, order }) => [id, order] as const);
    const waiting = [...open, ...unplaced].filter(([, order]) => order <= last).map(([id]) => id);
    const movedOn = kept.filter(({ natural }) => natural <= last).map(({ id }) => id);
    const state = { position: last, cursor: cursor!, pending: [...waiting, ...unread, ...movedOn] };
    await base.fold(
      index,
      first,
      kept.map(({ step }) => step!),
      state,
    );
    dropFolded(last, first.length);
  };
  const countFolded = (first: readonly AppliedExchange[]) => {
    folded.exchanges += first.length;
    for (const { id } of first) folded[index.placements.get(id)!.state] += 1;
  };
  const dropFolded = (last: string, count: number) => {
    position = last;
    for (const { id } of applied.splice(0, count)) {
      clocks.delete(id);
      moved.delete(id);
    }
  };
  /** Goes on from the facts that another process has stored. */
  const followOthers = async (): Promise<void> => {
    const state = cursor === undefined ? 'same' : await base?.follow(index, applied);
    if (state === undefined && base) throw new FactsReplaced();
    if (typeof state === 'object')
      dropFolded(state.position, applied.filter(({ order }) => order <= state.position).length);
  };

  const runOnce = async (): Promise<number> => {
    let count = 0;
    await followOthers();
    // Repeat until nothing is new, so that the last writer has seen what all others stored before.
    for (let isNew = true; isNew; ) {
      isNew = false;
      for await (const entries of news()) {
        const more = await takeIn(entries);
        if (more === undefined) continue;
        isNew = true;
        count += more;
        await fold();
      }
    }
    return count;
  };
  const run = async (): Promise<number> => {
    // A process that knows the newer rules will place the exchanges.
    if (await writer.hasNewerRules()) return 0;
    for (;;) {
      try {
        return await runOnce();
      } catch (error) {
        if (!(error instanceof FactsReplaced)) throw error;
        forget();
      }
    }
  };

  /** Runs one at a time. After a failure nothing is certain, so the next run begins from scratch. */
  const queued = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work).catch((error: unknown) => {
      forget();
      throw error;
    });
    queue = next.catch(() => undefined);
    return next;
  };
  const forget = () => {
    index = createRecordedIndex();
    applied = [];
    clocks = new Map();
    moved = new Map();
    open = new Map();
    unread = new Set();
    position = '';
    folded = { exchanges: 0, landed: 0, waiting: 0, nothing: 0 };
    cursor = undefined;
    found = new Map();
    writer.forget();
  };

  /** A run that is queued but has not begun; it will see everything that is stored by then. */
  let next: Promise<void> | undefined;

  return {
    run() {
      next ??= queued(async () => {
        next = undefined;
        await run();
      });
      return next;
    },
    rebuild: () =>
      queued(async () => {
        forget();
        await base?.clear();
        const moved = await run();
        return { ...countAll(folded, applied, index), moved };
      }),
    memory: () => ({ steps: applied.length, rows: base?.size ?? 0 }),
  };
}

function byOrder(a: EntryRecord, b: EntryRecord): number {
  return a.order < b.order ? -1 : 1;
}

function lastFirst(a: QueuedExchange, b: QueuedExchange): number {
  return a.order < b.order ? 1 : -1;
}

type FoldedCounts = Omit<ProjectionCounts, 'moved'>;

function countAll(
  folded: FoldedCounts,
  applied: readonly AppliedExchange[],
  { placements }: RecordedIndex,
): FoldedCounts {
  const counts = { ...folded, exchanges: folded.exchanges + applied.length };
  for (const { id } of applied) counts[placements.get(id)!.state] += 1;
  return counts;
}
