import { randomUUID } from 'node:crypto';
import { ROOT } from '../model/ids.ts';
import type { EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../model/records.ts';
import { createChangeLog } from './changes.ts';
import { createEntryTable, createRegisterTable } from './latest-tables.ts';
import { pageLimit, readCursor, toPage } from './page.ts';
import { hashFault, isEntry, recordKey, toChange } from './records.ts';
import type { Store, StoreProblem } from './store.ts';
import { createWordIndex, nodeText, pageOfHits, splitWords, type WordIndex } from './word-index.ts';

/**
 * A store in memory, for tests and for data that need not outlive the process.
 *
 * @example
 * const forest = createForest(memoryStore());
 */
export function memoryStore(): Store {
  const writer = `m${randomUUID().slice(0, 8)}`;
  const listeners = new Set<() => void>();
  let tables = createTables();
  let log = createChangeLog();
  let words: WordIndex | undefined;
  const checked = new Set<string>();
  const problems = new Map<string, StoreProblem>();

  const textOf = (node: NodeRecord) => nodeText(node.dialect, tables.bodies.get(node.body) ?? '');
  const wordIndex = () => {
    if (words) return words;
    words = createWordIndex();
    for (const node of tables.order) words.add(node.id, textOf(node));
    return words;
  };

  /** Returns a body if its hash is right. Each body is checked once, because memory does not change. */
  const soundText = (digest: string): string | undefined => {
    const text = tables.bodies.get(digest);
    if (text === undefined || checked.has(digest)) return text;
    const fault = hashFault({ k: 'body', digest, text });
    if (fault === undefined) checked.add(digest);
    else problems.set(digest, { code: 'wrong-hash', where: digest, message: fault, subject: digest });
    return fault === undefined ? text : undefined;
  };

  return {
    writer,
    async append(records) {
      const known = new Set(
        records.flatMap((record) => (record.k === 'node' && tables.nodes.has(record.id) ? [record.id] : [])),
      );
      const added = records.filter((record) => addRecord(tables, record));
      for (const record of added) {
        if (record.k !== 'body') log.add(toChange(record));
        if (record.k === 'node' && !known.has(record.id)) words?.add(record.id, textOf(record));
      }
      if (added.length > 0) for (const listener of listeners) listener();
    },
    async nodes(ids) {
      return ids.map((id) => tables.nodes.get(id));
    },
    async idsLike(prefix, limit) {
      const found = [...tables.nodes.keys()].filter((id) => id.startsWith(prefix));
      return found.sort().slice(0, limit);
    },
    async path(id, above = ROOT) {
      const path: NodeRecord[] = [];
      for (let node = tables.nodes.get(id); node && node.id !== above; node = tables.nodes.get(node.parent))
        path.push(node);
      return path.reverse();
    },
    async children(id, page) {
      const children = [...(tables.children.get(id) ?? [])].sort(byAge);
      return toPage(children, (node) => [node.at, node.id], page);
    },
    async childCounts(ids) {
      return ids.map((id) => tables.children.get(id)?.length ?? 0);
    },
    async scan(page) {
      // The position of a node is its index, so a page does not touch the nodes before it.
      const start = page?.after === undefined ? 0 : Number(readCursor(page.after, [0])[0]) + 1;
      const end = start + pageLimit(page ?? {});
      const items = tables.order.slice(start, end);
      return end < tables.order.length ? { items, next: JSON.stringify([end - 1]) } : { items };
    },
    async deepest(chain) {
      let index = chain.length - 1;
      while (index >= 0 && !tables.nodes.has(chain.at(index)!)) index -= 1;
      return index;
    },
    async byEcho(echoes, lead) {
      const index = echoes.findLastIndex((echo) => tables.echoes.has(echo));
      if (index < 0) return undefined;
      const nodes = tables.echoes.get(echoes[index]!)!;
      const sameLead = nodes.filter((node) => node.lead === lead);
      const [node] = (sameLead.length > 0 ? sameLead : [...nodes]).sort((a, b) => b.depth - a.depth || byAge(b, a));
      return { index, node: node! };
    },
    async bodies(digests) {
      return digests.map((digest) => soundText(digest));
    },
    async takes(nodes) {
      return nodes.flatMap((node) => [...(tables.takes.get(node)?.values() ?? [])]).sort(byAge);
    },
    async refs(query) {
      return tables.refs.page(query);
    },
    async entry(kind, id) {
      return tables.entries.get(kind, id);
    },
    async entries(kind, query) {
      return tables.entries.page(kind, query);
    },
    async search({ words: wanted, roles, since = -Infinity, until = Infinity, ...page }) {
      const hits = wordIndex()
        .find(wanted.flatMap(splitWords))
        .filter(({ id }) => {
          const node = tables.nodes.get(id)!;
          return (roles?.includes(node.facts.role) ?? true) && node.at >= since && node.at < until;
        });
      return pageOfHits(hits, (id) => tables.nodes.get(id)!.at, page);
    },
    async changes(after) {
      return log.since(after);
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async isAlive(name) {
      return name === writer;
    },
    problems: () => [...problems.values()],
    async check() {
      for (const digest of tables.bodies.keys()) soundText(digest);
      return [...problems.values()];
    },
    async compact(keep) {
      const records = allRecords(tables);
      const kept = records.filter(keep);
      tables = createTables();
      words = undefined;
      log = createChangeLog();
      for (const record of kept) addRecord(tables, record);
      return { kept: kept.length, removed: records.length - kept.length };
    },
    close: async () => undefined,
  };
}

function byAge(a: { at: number; id: string }, b: { at: number; id: string }): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

type MemoryTables = ReturnType<typeof createTables>;

function createTables() {
  return {
    nodes: new Map<string, NodeRecord>(),
    /** In the order of writing: parents before their children. */
    order: [] as NodeRecord[],
    children: new Map<string, NodeRecord[]>(),
    echoes: new Map<string, NodeRecord[]>(),
    bodies: new Map<string, string>(),
    /** By their ids, by their nodes. */
    takes: new Map<string, Map<string, TakeRecord>>(),
    refs: createRegisterTable<RefRecord>(({ value }) => value !== null),
    entries: createEntryTable<EntryRecord>(),
    /** Records of unknown kinds that are not entries. */
    others: new Map<string, StoreRecord>(),
  };
}

/** Returns whether the record is new. */
function addRecord(tables: MemoryTables, record: StoreRecord): boolean {
  switch (record.k) {
    case 'node':
      if (tables.nodes.has(record.id)) return replaceLater(tables, record);
      tables.nodes.set(record.id, record);
      tables.order.push(record);
      pushTo(tables.children, record.parent, record);
      pushTo(tables.echoes, record.echo, record);
      return true;
    case 'body':
      if (tables.bodies.has(record.digest)) return false;
      tables.bodies.set(record.digest, record.text);
      return true;
    case 'take':
      return addTake(tables.takes, record);
    case 'ref':
      return tables.refs.put(record);
    default:
      return isEntry(record) ? tables.entries.put(record) : addOther(tables, record);
  }
}

/** Of a node that is written twice, the one with the earlier time counts, so that copies agree whatever came first. */
function replaceLater({ nodes, order, children, echoes }: MemoryTables, record: NodeRecord): boolean {
  const there = nodes.get(record.id)!;
  if (there.at <= record.at) return false;
  nodes.set(record.id, record);
  for (const list of [order, children.get(there.parent), echoes.get(there.echo)]) {
    const index = list?.indexOf(there) ?? -1;
    if (index >= 0) list![index] = record;
  }
  return true;
}

function addOther({ others }: MemoryTables, record: StoreRecord): boolean {
  const key = recordKey(record);
  if (others.has(key)) return false;
  others.set(key, record);
  return true;
}

function allRecords(tables: MemoryTables): StoreRecord[] {
  const bodies = [...tables.bodies].map(([digest, text]) => ({ k: 'body' as const, digest, text }));
  return [
    ...bodies,
    ...tables.order,
    ...[...tables.takes.values()].flatMap((takes) => [...takes.values()]),
    ...tables.refs.all(),
    ...tables.entries.all(),
    ...tables.others.values(),
  ];
}

/** A node of a common reply has many takes. */
function addTake(takes: Map<string, Map<string, TakeRecord>>, record: TakeRecord): boolean {
  const there = takes.get(record.node);
  if (there?.has(record.id)) return false;
  if (there) there.set(record.id, record);
  else takes.set(record.node, new Map([[record.id, record]]));
  return true;
}

function pushTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}
