import type { RefRecord } from '../model/index.ts';
import { refKey } from './key-of.ts';
import { pageOf } from './page.ts';
import type { Page, RefQuery } from './store.ts';

/** What is known of a register without its value. */
export interface Register {
  readonly on: RefRecord['on'];
  readonly key: string;
  readonly name: string;
  readonly clock: string;
  readonly isSet: boolean;
}

/** Registers in memory: of each name on each thing the latest. */
export interface RegisterTable<T extends Register> {
  /** The one that counts now. */
  get(on: string, key: string, name: string): T | undefined;
  /** Whether it is later than the one there was. */
  put(register: T): boolean;
  all(): Iterable<T>;
  /** Those with a value. */
  page(query: RefQuery): Page<T>;
}

export function createRegisterTable<T extends Register>(): RegisterTable<T> {
  const things = new Map<string, Map<string, Map<string, T>>>();

  function* found({ on, keys, names }: RefQuery): Generator<T> {
    const onThem = things.get(on) ?? new Map<string, Map<string, T>>();
    const wanted = names && new Set(names);
    for (const key of keys ? new Set(keys) : onThem.keys())
      for (const register of onThem.get(key)?.values() ?? [])
        if (register.isSet && (wanted?.has(register.name) ?? true)) yield register;
  }

  return {
    get: (on, key, name) => things.get(on)?.get(key)?.get(name),
    put(register) {
      const names = inner(inner(things, register.on), register.key);
      const there = names.get(register.name);
      if (there && there.clock >= register.clock) return false;
      names.set(register.name, register);
      return true;
    },
    *all() {
      for (const keys of things.values()) for (const names of keys.values()) yield* names.values();
    },
    page({ order = 'oldest', ...query }) {
      const direction = order === 'oldest' ? 1 : -1;
      // Joining the place anew for every comparison would cost more than sorting.
      const list = Array.from(found(query), (register) => ({ register, key: refKey(register) }));
      list.sort((a, b) => direction * compare(a, b));
      const { items, next } = pageOf(list, ({ register, key }) => [register.clock, key], query, direction);
      return { items: items.map(({ register }) => register), ...(next !== undefined && { next }) };
    },
  };
}

type Keyed = { readonly register: Register; readonly key: string };

function compare(a: Keyed, b: Keyed): number {
  if (a.register.clock !== b.register.clock) return a.register.clock < b.register.clock ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function inner<K, L, V>(map: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let found = map.get(key);
  if (!found) {
    found = new Map();
    map.set(key, found);
  }
  return found;
}
