import { type Clock, createClock, type EntryRecord, type RefRecord, type StoreRecord } from '../model/index.ts';
import { overlayStore, type Store } from '../store/index.ts';
import { recordKey } from '../store/records.ts';
import { ForestError } from './errors.ts';

/** What every operation works on. */
export interface ForestContext {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * The record that gives a name on a thing a new value. What is taken away gets `false`, not null: its stamp can still
 * be read then, and whoever sets it again does so with a later one, also on a machine whose clock is behind.
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
 * A store whose clock takes note of every stamp that is met: what is set again is then later, whoever set it before. A
 * stamp that is days ahead was made by a broken clock, here or elsewhere, and is not followed; what is set over it gets
 * the stamp behind it, so that the change counts.
 */
export function createContext(store: Store, clock = createClock(store.writer)): ForestContext {
  const ahead = new Map<string, string>();

  const see = (record: RefRecord | EntryRecord) => {
    if (!clock.see(record.clock)) ahead.set(recordKey(record), record.clock);
  };
  const stamped = (record: StoreRecord): StoreRecord => {
    // Stamps of others, as an import brings them, say when those others wrote.
    if (!('clock' in record) || !record.clock.endsWith(`.${store.writer}`)) return record;
    const key = recordKey(record);
    const there = ahead.get(key);
    if (there === undefined || there < record.clock) return record;
    const later = clock.after(there);
    if (later === undefined)
      throw new ForestError(
        'clock_ahead',
        key,
        `${key} cannot be changed: it was set with the stamp ${there}, and there is none behind it. Nothing was written.`,
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

/** Refs as they are now. What is written after this is later than any of them, whoever wrote them. */
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
