import type { Message } from '@skein/core';
import { allItems } from '../../forest/index.ts';
import type { EntryRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { EXCHANGES, type Exchange, exchangeRecord, readExchangeRecord, readTexts } from '../exchange.ts';
import { readGatewayReply } from '../gateway-replies.ts';
import type { Placement } from '../placement.ts';
import { type ExchangeContent, readExchange } from '../read-exchange.ts';
import { RecentTexts } from '../recent-texts.ts';
import type { RecordingForest } from '../recorder.ts';
import { sliceWork } from '../turns.ts';
import { type PlacementStep, placeExchange } from './place-exchange.ts';
import { createRecordedIndex, type RecordedIndex } from './recorded-index.ts';
import { createTreeWriter } from './tree-writer.ts';

/** Keeps the recorded tree up to date with the stored exchanges. */
interface Projector {
  /** Recorders put texts here that they have just stored. */
  readonly texts: RecentTexts;
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
 * How many of the last steps can be undone. An exchange that arrives later than that makes all exchanges be read again.
 */
const STEPS_KEPT = 10_000;

/** How many exchanges are read at once. */
const READ_AHEAD = 8;

/**
 * How many exchanges stay in memory after they were read: those that two servers recorded in the same seconds are often
 * placed again.
 */
const READINGS_KEPT = 64;

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
  undo: (() => void) | undefined;
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

/** The projector of a store. All recorders of a store in this process share it. */
export function sharedProjector(forest: RecordingForest): Projector {
  const there = projectors.get(forest.store);
  if (there) return there;
  const made = createProjector(forest);
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

function createProjector(forest: RecordingForest): Projector {
  const { store } = forest;
  const writer = createTreeWriter(forest);
  const texts = new RecentTexts();
  let index: RecordedIndex = createRecordedIndex();
  let applied: AppliedExchange[] = [];
  /** The clock of each exchange record that was placed. */
  let clocks = new Map<string, string>();
  /** Exchanges that were moved behind a later one. */
  let moved = new Map<string, Reordering>();
  let cursor: string | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** The exchange records that changed since the last look. */
  const news = async (): Promise<EntryRecord[]> => {
    if (cursor !== undefined) {
      const { items, next, reset } = await store.changes(cursor);
      cursor = next;
      if (!reset) {
        const ids = items.filter(({ kind, of }) => kind === 'exchange' && of === EXCHANGES).map(({ key }) => key);
        const entries = await Promise.all([...new Set(ids)].map((id) => store.entry('exchange', id)));
        return entries.filter((entry) => entry !== undefined);
      }
    }
    cursor = (await store.changes()).next;
    return loadExchanges(forest);
  };

  const read = async ({ id, entry }: QueuedExchange): Promise<ExchangeContent | undefined> => {
    const record = entry ?? (await store.entry('exchange', id));
    const exchange = record && readExchangeRecord(record);
    if (!exchange) return undefined;
    const read = texts.take(id) ?? (await readTexts(store, exchange));
    return readExchange(exchange, read, await readRestored(exchange));
  };

  /** The replies that a gateway sent in place of messages of the client. */
  const readRestored = async ({ upstream }: Exchange): Promise<ReadonlyMap<number, Message>> => {
    const restored = new Map<number, Message>();
    for (const [at, id] of Object.entries(upstream?.restored ?? {})) {
      const found = await readGatewayReply(forest, id);
      if (found) restored.set(Number(at), found.reply.message);
    }
    return restored;
  };

  const apply = (item: QueuedExchange, reading: ExchangeContent): PlacementStep => {
    const undo = index.step();
    const placed = placeExchange(index, reading);
    const { id, clock, natural, order } = item;
    applied.push({ id, clock, natural, order, undo });
    clocks.set(item.id, item.clock);
    const old = applied.at(-STEPS_KEPT - 1);
    if (old) old.undo = undefined;
    return placed;
  };

  /** Undoes all steps from a position on, last first, and returns them. */
  const rollBack = (order: string): AppliedExchange[] => {
    const at = applied.findLastIndex((one) => one.order < order) + 1;
    if (at === applied.length) return [];
    if (applied[at]!.undo === undefined) {
      index = createRecordedIndex();
      return applied.splice(0);
    }
    const taken = applied.splice(at);
    for (const { undo } of taken.toReversed()) undo!();
    return taken;
  };

  /** Places new exchanges. Returns how many nodes moved; undefined if there was nothing new. */
  const takeIn = async (entries: readonly EntryRecord[]): Promise<number | undefined> => {
    const fresh = entries.filter((entry) => {
      const exchange = readExchangeRecord(entry);
      return exchange && exchange.outcome !== 'open' && clocks.get(entry.id) !== entry.clock;
    });
    if (fresh.length === 0) return undefined;
    const todo = fresh.map((entry): QueuedExchange => {
      const { id, order, clock } = entry;
      return { id, clock, natural: order, order, entry };
    });
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
    const readings = new Map<string, Promise<ExchangeContent | undefined>>();
    const turn = sliceWork();
    for (let item = queue.at(-1); item; item = queue.at(-1)) {
      for (const ahead of queue.slice(-READ_AHEAD)) {
        const { id } = ahead;
        if (readings.has(id)) continue;
        const reading = read(ahead);
        // An error is reported when it is this exchange's turn.
        reading.catch(() => undefined);
        readings.set(id, reading);
      }
      queue.pop();
      const reading = await readings.get(item.id);
      for (const id of readings.keys()) {
        if (readings.size <= READINGS_KEPT) break;
        readings.delete(id);
      }
      if (!reading) continue;
      const step = apply(item, reading);
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

  const run = async (): Promise<number> => {
    let count = 0;
    // A process that knows the newer rules will place the exchanges.
    if (await writer.hasNewerRules()) return count;
    // Repeat until nothing is new, so that the last writer has seen what all others stored before.
    for (;;) {
      const more = await takeIn(await news());
      if (more === undefined) return count;
      count += more;
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
    cursor = undefined;
    writer.forget();
  };

  /** A run that is queued but has not begun; it will see everything that is stored by then. */
  let next: Promise<void> | undefined;

  return {
    texts,
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
        const moved = await run();
        return { exchanges: applied.length, ...countStates(index), moved };
      }),
  };
}

function lastFirst(a: QueuedExchange, b: QueuedExchange): number {
  return a.order < b.order ? 1 : -1;
}

function countStates({ placements }: RecordedIndex): Pick<ProjectionCounts, Placement['state']> {
  const counts = { landed: 0, waiting: 0, nothing: 0 };
  for (const { state } of placements.values()) counts[state] += 1;
  return counts;
}

/** Loads all exchange records. Exchanges that a dead process left open are marked as cut. */
async function loadExchanges({ store, clock }: RecordingForest): Promise<EntryRecord[]> {
  const found: EntryRecord[] = [];
  for await (const entry of allItems((page) => store.entries('exchange', { of: EXCHANGES, ...page }))) {
    clock.see(entry.clock);
    const exchange = readExchangeRecord(entry);
    const isLost = exchange?.outcome === 'open' && !(await store.isAlive(exchange.writer));
    found.push(isLost ? exchangeRecord(asCut(exchange), clock.tick()) : entry);
    if (isLost) await store.append([found.at(-1)!]);
  }
  return found;
}

function asCut(exchange: Exchange): Exchange {
  return { ...exchange, outcome: 'cut', error: 'the process that recorded it ended' };
}
