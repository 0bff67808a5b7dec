import { pageOf } from './page.ts';
import type { EntryQuery, Page } from './store.ts';

/** What is known of an entry without its data. */
export interface Entry {
  readonly k: string;
  readonly id: string;
  readonly of: string;
  readonly order: string;
  readonly clock: string;
}

/** Entries in memory: of each kind and id the latest. */
export interface EntryTable<T extends Entry> {
  get(kind: string, id: string): T | undefined;
  /** Whether it is later than the one there was. */
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
      const found = [...((of === undefined ? there?.byId : there?.of.get(of))?.values() ?? [])];
      const isBehind = ({ order }: T) =>
        afterOrder === undefined || (sign === 1 ? order > afterOrder : order < afterOrder);
      const sorted = found.filter(isBehind).sort((a, b) => sign * compare(a, b));
      return pageOf(sorted, ({ order, id }) => [order, id], page, sign);
    },
  };
}

function compare(a: Entry, b: Entry): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
