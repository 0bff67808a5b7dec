import type { RefRecord } from '../model/records.ts';
import { toPage } from './page.ts';
import { refKey } from './records.ts';
import type { EntryQuery, Page, RefQuery } from './store.ts';

/** What names a register, and how new its value is. */
type RegisterName = Pick<RefRecord, 'on' | 'key' | 'name' | 'clock'>;

/** A register without its value. */
export interface Register extends RegisterName {
  readonly isSet: boolean;
}

/** Registers in memory; for each name the latest counts. */
export interface RegisterTable<T extends RegisterName> {
  /** The latest register. */
  get(on: string, key: string, name: string): T | undefined;
  /** Returns whether it is later than the one before. */
  put(register: T): boolean;
  all(): Iterable<T>;
  /** A page of the registers with a value. */
  page(query: RefQuery): Page<T>;
}

export function createRegisterTable<T extends Register>(): RegisterTable<T>;
/** `isSet` tells whether a register has a value. */
export function createRegisterTable<T extends RegisterName>(isSet: (register: T) => boolean): RegisterTable<T>;
export function createRegisterTable<T extends Register>(isSet = (register: T) => register.isSet): RegisterTable<T> {
  const things = new Map<string, Map<string, Map<string, T>>>();

  const find = ({ on, keys, names }: RefQuery): T[] => {
    const onThem = things.get(on);
    const wanted = names && new Set(names);
    const found: T[] = [];
    for (const key of keys ? new Set(keys) : (onThem?.keys() ?? []))
      for (const register of onThem?.get(key)?.values() ?? [])
        if (isSet(register) && (wanted?.has(register.name) ?? true)) found.push(register);
    return found;
  };

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
      // Sort keys are made once, because making them for every comparison would cost more than sorting.
      const list = find(query).map((register) => ({ register, key: refKey(register) }));
      list.sort((a, b) => direction * compareRegisters(a, b));
      const { items, next } = toPage(list, ({ register, key }) => [register.clock, key], query, direction);
      return { items: items.map(({ register }) => register), ...(next !== undefined && { next }) };
    },
  };
}

type Keyed = { readonly register: RegisterName; readonly key: string };

function compareRegisters(a: Keyed, b: Keyed): number {
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

/** An entry without its data. */
export interface Entry {
  readonly k: string;
  readonly id: string;
  readonly of: string;
  readonly order: string;
  readonly clock: string;
}

/** Entries in memory; for each kind and id the latest counts. */
export interface EntryTable<T extends Entry> {
  get(kind: string, id: string): T | undefined;
  /** Returns whether it is later than the one before. */
  put(entry: T): boolean;
  all(): Iterable<T>;
  page(kind: string, query?: EntryQuery): Page<T>;
}

interface Kind<T> {
  readonly byId: Map<string, T>;
  readonly of: Map<string, Map<string, T>>;
}

export function createEntryTable<T extends Entry>(): EntryTable<T> {
  const kinds = new Map<string, Kind<T>>();
  return {
    get: (kind, id) => kinds.get(kind)?.byId.get(id),
    put(entry) {
      const kind = kinds.get(entry.k) ?? { byId: new Map<string, T>(), of: new Map<string, Map<string, T>>() };
      kinds.set(entry.k, kind);
      const there = kind.byId.get(entry.id);
      if (there && there.clock >= entry.clock) return false;
      if (there && there.of !== entry.of) kind.of.get(there.of)?.delete(there.id);
      kind.byId.set(entry.id, entry);
      const siblings = kind.of.get(entry.of);
      if (siblings) siblings.set(entry.id, entry);
      else kind.of.set(entry.of, new Map([[entry.id, entry]]));
      return true;
    },
    *all() {
      for (const { byId } of kinds.values()) yield* byId.values();
    },
    page(kind, { of, afterOrder, order: way = 'oldest', ...page } = {}) {
      const sign = way === 'oldest' ? 1 : -1;
      const there = kinds.get(kind);
      const wanted = of === undefined ? [there?.byId] : [...new Set([of].flat())].map((one) => there?.of.get(one));
      const found = wanted.flatMap((entries) => [...(entries?.values() ?? [])]);
      const isBehind = ({ order }: T) =>
        afterOrder === undefined || (sign === 1 ? order > afterOrder : order < afterOrder);
      const sorted = found.filter(isBehind).sort((a, b) => sign * compareEntries(a, b));
      return toPage(sorted, ({ order, id }) => [order, id], page, sign);
    },
  };
}

function compareEntries(a: Entry, b: Entry): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
