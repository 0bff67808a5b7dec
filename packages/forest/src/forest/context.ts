import { type Clock, createClock } from '../model/clock.ts';
import type { EntryRecord, RefRecord, StoreRecord } from '../model/records.ts';
import { overlayStore, type Store } from '../store/index.ts';
import { recordKey } from '../store/records.ts';
import { ForestError } from './errors.ts';

/** The store and the clock that every operation works on. */
export interface ForestContext {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Makes the record that sets a name of a thing to a new value. To unset a name, use `false`, not null: its stamp then stays
 * readable, and whoever sets it again uses a later one, even on a machine whose clock is behind.
 */
export function makeRef(
  { clock }: ForestContext,
  on: RefRecord['on'],
  key: string,
  name: string,
  value: unknown,
): RefRecord {
  return { k: 'ref', on, key, name, value, clock: clock.tick() };
}

/**
 * Wraps a store so that its clock follows every stamp it reads: a later write then gets a later stamp, whoever wrote before.
 * A stamp that is days ahead comes from a broken clock, and the clock does not follow it. A write over such a stamp gets
 * the next stamp after it, so that the write takes effect.
 */
export function createContext(store: Store, clock = createClock(store.writer)): ForestContext {
  const ahead = new Map<string, string>();

  const see = (record: RefRecord | EntryRecord) => {
    if (!clock.see(record.clock)) ahead.set(recordKey(record), record.clock);
  };
  const stamped = (record: StoreRecord): StoreRecord => {
    // Imported records keep the stamps of their writers.
    if (ahead.size === 0 || !('clock' in record) || !record.clock.endsWith(`.${store.writer}`)) return record;
    const key = recordKey(record);
    const there = ahead.get(key);
    if (there === undefined || there < record.clock) return record;
    const later = clock.after(there);
    if (later === undefined)
      throw new ForestError(
        'clock_ahead',
        key,
        `${key} cannot be changed: its stamp ${there} is the last one possible, probably written by a broken clock. Nothing was written.`,
      );
    ahead.set(key, later);
    return { ...record, clock: later };
  };

  const refs: Store['refs'] = async (query) => {
    const page = await store.refs(query);
    page.items.forEach(see);
    return page;
  };
  const entry: Store['entry'] = async (kind, id) => {
    const found = await store.entry(kind, id);
    if (found) see(found);
    return found;
  };
  const entries: Store['entries'] = async (kind, query) => {
    const page = await store.entries(kind, query);
    page.items.forEach(see);
    return page;
  };
  const append: Store['append'] = async (records) => store.append(ahead.size === 0 ? records : records.map(stamped));
  return { store: overlayStore(store, { refs, entry, entries, append }), clock };
}

const BATCH = 500;

/** Reads refs, so that whatever is written next has a later stamp than any of them. */
export async function readRefs(
  { store, clock }: ForestContext,
  on: RefRecord['on'],
  keys: readonly string[],
  names: readonly string[],
): Promise<RefRecord[]> {
  const found: RefRecord[] = [];
  for (let at = 0; at < keys.length; at += BATCH) {
    const some = keys.slice(at, at + BATCH);
    const { items } = await store.refs({ on, keys: some, names, limit: some.length * names.length });
    found.push(...items);
  }
  for (const ref of found) clock.see(ref.clock);
  return found;
}
