import type { EntryRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { everyExchange } from './every-exchange.ts';
import { EXCHANGES, exchangeOf } from './exchange.ts';
import type { Landing } from './landing.ts';
import { placeExchange, type Step } from './place-exchange.ts';
import { type Reading, readExchange } from './read-exchange.ts';
import { readRequestBody, readResponse } from './read-parts.ts';
import { createIndex, type RecordedIndex } from './recorded-index.ts';
import type { RecordingForest } from './recorder.ts';
import { createTreeWriter } from './write-tree.ts';

/** Keeps the tree what the stored exchanges make of it. */
export interface Projector {
  /** Takes in what was stored since, by anyone. */
  run(): Promise<void>;
  /** Forgets what it knows and reads every exchange again. */
  rebuild(): Promise<Projected>;
}

/** What a projection came to. */
export interface Projected {
  readonly exchanges: number;
  readonly landed: number;
  readonly waiting: number;
  readonly nothing: number;
  /** Nodes that are no longer where they were; their old ids lead on. */
  readonly moved: number;
}

/** How many of the last exchanges can be taken back one by one; for one that is later than that, all are read again. */
const STEPS_KEPT = 10_000;

/** How many exchanges are read at once. */
const READ_AHEAD = 8;

interface Applied {
  readonly order: string;
  readonly id: string;
  readonly clock: string;
  undo: (() => void) | undefined;
}

const projectors = new WeakMap<Store, Projector>();

/** One for each store: everyone who records into it shares what is known. */
export function projectorOf(forest: RecordingForest): Projector {
  const there = projectors.get(forest.store);
  if (there) return there;
  const made = createProjector(forest);
  projectors.set(forest.store, made);
  return made;
}

function createProjector(forest: RecordingForest): Projector {
  const { store } = forest;
  const writer = createTreeWriter(forest);
  let index: RecordedIndex = createIndex();
  let applied: Applied[] = [];
  /** The stamp with which each exchange was taken in. */
  let clocks = new Map<string, string>();
  /** The places of exchanges that stand behind a later one. */
  let moved = new Map<string, string>();
  let cursor: string | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  /** Every exchange that has ended and is not in the tree as it is now, by its id. */
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
    return everyExchange(forest);
  };

  const read = async (id: string): Promise<Reading | undefined> => {
    const entry = await store.entry('exchange', id);
    const exchange = entry && exchangeOf(entry);
    if (!exchange) return undefined;
    const [request, response] = await Promise.all([readRequestBody(store, id), readResponse(store, id)]);
    return readExchange(exchange, textOf(request), textOf(response));
  };

  const apply = ({ id, order, clock }: Omit<Applied, 'undo'>, reading: Reading): Step => {
    const undo = index.step();
    const placed = placeExchange(index, reading);
    applied.push({ id, order, clock, undo });
    clocks.set(id, clock);
    const old = applied.at(-STEPS_KEPT - 1);
    if (old) old.undo = undefined;
    return placed;
  };

  /** Takes back everything from a place on, the last first; gives what that was. */
  const rollBack = (order: string): Applied[] => {
    const at = applied.findLastIndex((one) => one.order < order) + 1;
    if (at === applied.length) return [];
    if (applied[at]!.undo === undefined) {
      index = createIndex();
      return applied.splice(0);
    }
    const taken = applied.splice(at);
    for (const { undo } of taken.toReversed()) undo!();
    return taken;
  };

  /** How many nodes are no longer where they were; undefined when there was nothing to take in. */
  const takeIn = async (entries: readonly EntryRecord[]): Promise<number | undefined> => {
    const fresh = entries.filter((entry) => {
      const exchange = exchangeOf(entry);
      return exchange && exchange.outcome !== 'open' && clocks.get(entry.id) !== entry.clock;
    });
    if (fresh.length === 0) return undefined;
    let todo: Omit<Applied, 'undo'>[] = fresh.map(({ id, order, clock }) => ({ id, order: orderOf(id, order), clock }));
    // Each round ends early where an exchange turns out to belong behind a later one.
    while (todo.length > 0) todo = await applyInOrder(todo);
    return writer.commit(index);
  };

  const applyInOrder = async (news: readonly Omit<Applied, 'undo'>[]): Promise<Omit<Applied, 'undo'>[]> => {
    const first = news.reduce((least, { order }) => (order < least ? order : least), news[0]!.order);
    const todo = new Map<string, Omit<Applied, 'undo'>>(rollBack(first).map((one) => [one.id, one]));
    for (const one of news) todo.set(one.id, one);
    const inOrder = [...todo.values()].sort((a, b) => (a.order < b.order ? -1 : 1));
    let done = 0;
    for await (const [one, reading] of readAhead(inOrder, ({ id }) => read(id))) {
      done += 1;
      if (!reading) continue;
      const step = apply(one, reading);
      await writer.add([step]);
      const taken = moveBehind(step.behind, one.order);
      if (taken.length > 0) return [...taken, ...inOrder.slice(done)];
    }
    return [];
  };

  /** Exchanges that go on from a reply of a later one (two servers' clocks differ) have their places behind that. */
  const moveBehind = (ids: readonly string[], order: string): Omit<Applied, 'undo'>[] => {
    const early = applied.filter(({ id }) => ids.includes(id));
    if (ids.length === 0 || early.length === 0) return [];
    for (const one of early) moved.set(one.id, `${order}~${one.order}`);
    return rollBack(early[0]!.order).map((one) => ({ ...one, order: orderOf(one.id, one.order) }));
  };

  const orderOf = (id: string, order: string): string => moved.get(id) ?? order;

  const run = async (): Promise<number> => {
    let count = 0;
    // Exchanges are stored all the same; whoever knows the newer rules places them.
    if (await writer.hasNewerRules()) return count;
    // Until nothing new is there: whoever wrote last has then seen what others stored before.
    for (;;) {
      const more = await takeIn(await news());
      if (more === undefined) return count;
      count += more;
    }
  };

  /** One after the other; a run that failed knows nothing for sure, so the next one begins anew. */
  const queued = <T>(work: () => Promise<T>): Promise<T> => {
    const next = queue.then(work).catch((error: unknown) => {
      forget();
      throw error;
    });
    queue = next.catch(() => undefined);
    return next;
  };
  const forget = () => {
    index = createIndex();
    applied = [];
    clocks = new Map();
    moved = new Map();
    cursor = undefined;
    writer.forget();
  };

  /** One that has not begun will see all that is stored by then. */
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
        const moved = await run();
        return { exchanges: applied.length, ...countStates(index), moved };
      }),
  };
}

/** Each with what is read for it, in order; the next few are read meanwhile. */
async function* readAhead<T, R>(items: readonly T[], read: (item: T) => Promise<R>): AsyncGenerator<[T, R]> {
  const reading: Promise<R>[] = [];
  for (const [index, item] of items.entries()) {
    while (reading.length < READ_AHEAD && index + reading.length < items.length) {
      const next = read(items[index + reading.length]!);
      // It is told of when it is its turn.
      next.catch(() => undefined);
      reading.push(next);
    }
    yield [item, await reading.shift()!];
  }
}

function countStates({ landings }: RecordedIndex): Pick<Projected, Landing['state']> {
  const counts = { landed: 0, waiting: 0, nothing: 0 };
  for (const { state } of landings.values()) counts[state] += 1;
  return counts;
}

function textOf(bytes: Uint8Array | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}
