import { ROOT } from '../../model/ids.ts';
import type { BodyRecord, EntryRecord, NodeRecord, RefRecord, TakeRecord } from '../../model/records.ts';
import { toPage } from '../page.ts';
import type { Change, Page, Store } from '../store.ts';
import { systemCode } from './disk.ts';
import type { RecordReader } from './record-reader.ts';
import type { Refresher } from './refresher.ts';
import { scanRows } from './scan.ts';
import { createSearch } from './search.ts';
import type { SegmentSet } from './segment-set.ts';

const MOST_TRIES = 5;

type Queries = Pick<
  Store,
  | 'nodes'
  | 'idsLike'
  | 'path'
  | 'children'
  | 'childCounts'
  | 'scan'
  | 'deepest'
  | 'byEcho'
  | 'bodies'
  | 'takes'
  | 'refs'
  | 'entry'
  | 'entries'
  | 'search'
>;

/** The queries of a store. The tables tell where a record is; the disk has the record. */
export function createQueries(set: SegmentSet, records: RecordReader, refresher: Refresher, searchMemory: number) {
  const search = createSearch(set, records, searchMemory);
  const nodesNow = () => set.tables.nodes;

  const readNodes = async (rows: readonly number[]): Promise<(NodeRecord | undefined)[]> => {
    const found = await records.read(rows.map(nodesNow().place));
    return found as (NodeRecord | undefined)[];
  };
  const readAll = async <T>(rows: readonly number[]): Promise<T[]> =>
    (await readNodes(rows)).filter((node) => node !== undefined) as T[];
  /** Repeats a query if a segment was removed or is damaged meanwhile: its records are elsewhere then. */
  const steady = async <T>(ask: () => Promise<T>): Promise<T> => {
    await refresher.fresh();
    for (let tries = 1; ; tries++) {
      try {
        const answer = await set.sound(ask);
        return (await set.mend()) ? await set.sound(ask) : answer;
      } catch (error) {
        if (systemCode(error) !== 'ENOENT' || tries === MOST_TRIES) throw error;
        await refresher.now();
      }
    }
  };
  /** Refreshes if something is unknown: another process may have written it a moment ago. */
  const surely = async (isKnown: () => boolean): Promise<void> => {
    if (!isKnown()) await refresher.now();
  };
  const hasNode = (id: string) => id === ROOT || nodesNow().has(nodesNow().rowOf(id));

  const childRows = (parent: number): number[] => {
    const { children, at, idOf } = nodesNow();
    return children(parent).sort((a, b) => at(a) - at(b) || (idOf(a) < idOf(b) ? -1 : 1));
  };

  const store: Queries = {
    nodes: (ids) =>
      steady(async () => {
        await surely(() => ids.every(hasNode));
        return readNodes(ids.map((id) => nodesNow().rowOf(id)));
      }),
    idsLike: (prefix, limit) => steady(async () => nodesNow().idsLike(prefix).slice(0, limit)),
    path: (id, above = ROOT) =>
      steady(async () => {
        await surely(() => hasNode(id));
        const { parent, rowOf, has } = nodesNow();
        const top = rowOf(above);
        const rows: number[] = [];
        for (let row = rowOf(id); has(row) && row !== top; row = parent(row)) rows.push(row);
        return readAll<NodeRecord>(rows.reverse());
      }),
    children: (id, page) =>
      steady(async () => {
        await surely(() => hasNode(id));
        const { at, idOf, rowOf } = nodesNow();
        const found = toPage(childRows(rowOf(id)), (row) => [at(row), idOf(row)], page);
        return { ...found, items: await readAll<NodeRecord>(found.items) };
      }),
    childCounts: (ids) =>
      steady(async () => {
        await surely(() => ids.every(hasNode));
        const { childCount, rowOf } = nodesNow();
        return ids.map((id) => childCount(rowOf(id)));
      }),
    scan: (page = {}) =>
      steady(async () => {
        const { rows, ...rest } = scanRows(set.tables, page);
        return { items: await readAll<NodeRecord>(rows), ...rest };
      }),
    deepest: (chain) =>
      steady(async () => {
        const { gaps, has, rowOf } = nodesNow();
        const isThere = (index: number) => has(rowOf(chain.at(index)!));
        // If a node in the middle is missing, a binary search does not work.
        if (gaps > 0) {
          let last = chain.length - 1;
          while (last >= 0 && !isThere(last)) last -= 1;
          return last;
        }
        // Grows the stride from the front, so that little of an unknown chain has to be computed.
        let [low, high] = [-1, 0];
        while (high < chain.length && isThere(high)) [low, high] = [high, high * 2 + 1];
        high = Math.min(high, chain.length);
        while (high - low > 1) {
          const middle = (low + high) >> 1;
          if (isThere(middle)) low = middle;
          else high = middle;
        }
        return low;
      }),
    byEcho: (echoes, lead) =>
      steady(async () => {
        const { findEcho, rowOf } = nodesNow();
        const leadRow = rowOf(lead);
        for (let index = echoes.length - 1; index >= 0; index--) {
          const row = findEcho(echoes[index]!, leadRow);
          if (row < 0) continue;
          const [node] = await readNodes([row]);
          if (node) return { index, node };
        }
        return undefined;
      }),
    bodies: (digests) =>
      steady(async () => {
        const places = () => {
          const { bodies } = set.tables;
          return digests.map((digest) => bodies.place(bodies.rowOf(digest)));
        };
        await surely(() => !places().includes(undefined));
        const found = (await records.read(places())) as (BodyRecord | undefined)[];
        return found.map((body, index) => (body?.digest === digests[index] ? body?.text : undefined));
      }),
    takes: (nodes) =>
      steady(async () => {
        await surely(() => nodes.every(hasNode));
        const { takes } = set.tables;
        const { firstTake, rowOf } = nodesNow();
        const rows = new Set<number>();
        for (const id of nodes)
          for (let next = firstTake(rowOf(id)); next > 0; next = takes.next(next - 1)) rows.add(next - 1);
        const found = await records.read([...rows].map(takes.place));
        return (found.filter((take) => take !== undefined) as TakeRecord[]).sort(byAge);
      }),
    refs: (query) => steady(() => readPage<RefRecord>(set.tables.refs.page(query))),
    entry: (kind, id) =>
      steady(async () => {
        await surely(() => set.tables.entries.get(kind, id) !== undefined);
        const [entry] = await records.read([set.tables.entries.get(kind, id)?.place]);
        return entry as EntryRecord | undefined;
      }),
    entries: (kind, query) => steady(() => readPage<EntryRecord>(set.tables.entries.page(kind, query))),
    search: (query) => steady(() => search.find(query)),
  };

  async function readPage<T>({ items, next }: Page<{ readonly place: Parameters<typeof records.read>[0][number] }>) {
    const found = await records.read(items.map(({ place }) => place));
    return {
      items: found.filter((record) => record !== undefined) as T[],
      ...(next !== undefined && { next }),
    } satisfies Page<T>;
  }

  return {
    store,
    reset: () => search.reset(),
    onNew: (found: readonly Change[]) => search.onNew(found),
  };
}

function byAge(a: TakeRecord, b: TakeRecord): number {
  return a.at - b.at || (a.id < b.id ? -1 : 1);
}
