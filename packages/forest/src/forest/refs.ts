import { createClock, type RefRecord } from '../model/index.ts';
import { overlayStore, type Store } from '../store/index.ts';
import type { Context } from './context.ts';

/**
 * The record that gives a name on a thing a new value. What is taken away gets `false`, not null: its stamp can still
 * be read then, and whoever sets it again does so with a later one, also on a machine whose clock is behind.
 */
export function setRef({ clock }: Context, on: RefRecord['on'], key: string, name: string, value: unknown): RefRecord {
  return { k: 'ref', on, key, name, value, clock: clock.tick() };
}

/** A store whose clock takes note of every stamp that is met: what is set again is then later, whoever set it before. */
export function seeingContext(store: Store, clock = createClock(store.writer)): Context {
  const refs: Store['refs'] = async (query) => {
    const page = await store.refs(query);
    for (const { clock: stamp } of page.items) clock.see(stamp);
    return page;
  };
  const entry: Store['entry'] = async (kind, id) => {
    const found = await store.entry(kind, id);
    if (found) clock.see(found.clock);
    return found;
  };
  return { store: overlayStore(store, { refs, entry }), clock };
}

const BATCH = 500;

/** Refs as they are now. What is written after this is later than any of them, whoever wrote them. */
export async function seeRefs(
  { store, clock }: Context,
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
