import type { EntryRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { readExchangeRecord } from '../exchange.ts';
import type { ExchangeContent } from '../read-exchange.ts';
import type { RecordingForest } from '../recorder.ts';
import { sliceWork } from '../turns.ts';
import { FactBase, FactsReplaced, LIMITS, latePosition, type ProjectionLimits } from './fact-base.ts';
import { type PlacementStep, placeExchange } from './place-exchange.ts';
import { type AppliedExchange, PlacementOrder, type QueuedExchange } from './placement-order.ts';
import { createReadingAhead } from './reading-ahead.ts';
import { createRecordedIndex, type IndexStep, type RecordedIndex } from './recorded-index.ts';
import { repeatLater } from './repeat-later.ts';
import { createTreeWriter } from './tree-writer.ts';
import { UnplacedExchanges } from './unplaced-exchanges.ts';

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
  const newOrder = () =>
    new PlacementOrder(
      () => {
        index = createRecordedIndex();
      },
      base ? Number.POSITIVE_INFINITY : (limits.withoutFacts ?? STEPS_KEPT),
    );
  let placed = newOrder();
  /** The position of the last exchange whose facts are stored. */
  let position = '';
  let folded = NO_COUNTS;
  let queue: Promise<unknown> = Promise.resolve();

  const unplaced = new UnplacedExchanges(forest, limits, async () => {
    forget();
    const opened = await base?.open();
    if (opened) index = opened.index;
    position = opened?.state?.position ?? '';
    return opened?.state;
  });
  /** The next run begins from scratch. */
  const forget = () => {
    index = createRecordedIndex();
    placed = newOrder();
    folded = NO_COUNTS;
    unplaced.forget();
    writer.forget();
  };

  const apply = async (item: QueuedExchange, reading: ExchangeContent): Promise<PlacementStep> => {
    let step: IndexStep | undefined;
    const result = await index.read(() => {
      step?.undo();
      step = index.step();
      return placeExchange(index, reading);
    });
    placed.add(item, step, result.placement);
    base?.trim();
    return result;
  };

  /** Places new exchanges. Returns how many nodes moved; undefined if there was nothing new. */
  const takeIn = async (entries: readonly EntryRecord[]): Promise<number | undefined> => {
    const todo: QueuedExchange[] = [];
    for (const entry of entries) {
      const exchange = readExchangeRecord(entry);
      if (!exchange) continue;
      const { id, order, clock } = entry;
      if (exchange.outcome === 'open') unplaced.open.set(id, entry);
      else unplaced.open.delete(id);
      if (exchange.outcome === 'open' || placed.has(id, clock)) continue;
      const natural = order > position ? order : latePosition(exchange, position);
      const former = await index.read(() => index.placements.get(id));
      todo.push({ id, clock, natural, order: natural, entry, ...(former && { former }) });
    }
    if (todo.length === 0) return undefined;
    const first = todo.reduce((least, { order }) => (order < least ? order : least), todo[0]!.order);
    await applyInOrder([...placed.undoFrom(first), ...todo]);
    return writer.commit(index);
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
      unplaced.unread.delete(item.id);
      if (!reading) {
        unplaced.unread.add(item.id);
        continue;
      }
      const step = await apply(item, reading);
      await writer.add(step, item);
      await turn();
      // Exchanges that belong behind this one, and all between, are placed again before the rest.
      queue.push(...placed.moveBehind(step.behind, item).sort(lastFirst));
    }
  };

  /** Stores the facts of the first steps when there are too many in memory. */
  const fold = async (): Promise<void> => {
    if (!base || placed.applied.length < limits.steps + limits.every) return;
    const { applied } = placed;
    // A late exchange has its place behind those that are still to be read.
    const read = applied.findLastIndex(({ order }) => unplaced.hasRead(order)) + 1;
    const end = Math.min(applied.length - limits.steps, read);
    if (end === 0) return;
    const first = applied.slice(0, end);
    const kept = applied.slice(end);
    const last = first.at(-1)!.order;
    folded = countAll(folded, first, index);
    const movedOn = kept.filter(({ natural }) => natural <= last).map(({ id }) => id);
    const state = { position: last, cursor: unplaced.cursor!, pending: [...unplaced.pendingTo(last), ...movedOn] };
    await base.fold(
      index,
      first,
      kept.map(({ step }) => step!),
      state,
    );
    dropFolded(last);
  };
  const dropFolded = (last: string) => {
    position = last;
    placed.dropTo(last);
  };
  /** Goes on from the facts that another process has stored. */
  const followOthers = async (): Promise<void> => {
    const state = unplaced.cursor === undefined ? 'same' : await base?.follow(index, placed.applied);
    if (state === undefined && base) throw new FactsReplaced();
    if (typeof state === 'object') dropFolded(state.position);
  };

  const runOnce = async (): Promise<number> => {
    let count = 0;
    await followOthers();
    // Repeat until nothing is new, so that the last writer has seen what all others stored before.
    for (let isNew = true; isNew; ) {
      isNew = false;
      for await (const entries of unplaced.news()) {
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

  /** A run that is queued but has not begun; it will see everything that is stored by then. */
  let next: Promise<void> | undefined;
  const start = () => {
    next ??= queued(async () => {
      next = undefined;
      await run();
      lookAgain();
    });
    return next;
  };
  const lookAgain = repeatLater(start);

  return {
    run: start,
    rebuild: () =>
      queued(async () => {
        forget();
        await base?.clear();
        const moved = await run();
        return { ...countAll(folded, placed.applied, index), moved };
      }),
    memory: () => ({ steps: placed.applied.length, rows: base?.size ?? 0 }),
  };
}

function lastFirst(a: QueuedExchange, b: QueuedExchange): number {
  return a.order < b.order ? 1 : -1;
}

type PlacementCounts = Omit<ProjectionCounts, 'moved'>;

const NO_COUNTS: PlacementCounts = { exchanges: 0, landed: 0, waiting: 0, nothing: 0 };

function countAll(
  folded: PlacementCounts,
  applied: readonly AppliedExchange[],
  { placements }: RecordedIndex,
): PlacementCounts {
  const counts = { ...folded, exchanges: folded.exchanges + applied.length };
  for (const { id } of applied) counts[placements.get(id)!.state] += 1;
  return counts;
}
