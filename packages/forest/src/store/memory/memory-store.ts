import { randomUUID } from 'node:crypto';
import { dialect } from '@skein/core';
import {
  type EntryRecord,
  type NodeRecord,
  type RefRecord,
  ROOT,
  type StoreRecord,
  searchText,
  type TakeRecord,
  wordsOf,
} from '../../model/index.ts';
import { keyOf } from '../key-of.ts';
import { pageOf } from '../page.ts';
import type { Change, Store } from '../store.ts';
import { createWordIndex, type WordIndex } from '../word-index.ts';

/** Everything in memory, for tests and for what need not outlive the process. */
export function memoryStore(): Store {
  const listeners = new Set<() => void>();
  let tables = createTables();
  let words: WordIndex | undefined;

  const put = (record: StoreRecord) => {
    if (!addRecord(tables, record)) return;
    tables.changes.push(changeOf(record));
    if (record.k === 'node') words?.add(record.id, textOf(record));
  };
  const textOf = (node: NodeRecord) =>
    searchText(dialect(node.dialect).parseMessage(tables.bodies.get(node.body) ?? ''));
  const index = () => {
    if (words) return words;
    words = createWordIndex();
    for (const node of tables.nodes.values()) words.add(node.id, textOf(node));
    return words;
  };

  return {
    writer: `m${randomUUID().slice(0, 8)}`,
    async append(records) {
      for (const record of records) put(record);
      for (const listener of listeners) listener();
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
      return pageOf(tables.children.get(id) ?? [], (node) => node.id, page);
    },
    async childCounts(ids) {
      return ids.map((id) => tables.children.get(id)?.length ?? 0);
    },
    async scan(page) {
      return pageOf([...tables.nodes.values()], (node) => node.id, page);
    },
    async deepest(chain) {
      return chain.findLastIndex((id) => tables.nodes.has(id));
    },
    async byEcho(echoes, lead) {
      const index = echoes.findLastIndex((echo) => tables.echoes.has(echo));
      if (index < 0) return undefined;
      const nodes = tables.echoes.get(echoes[index]!)!;
      const deepest = Math.max(...nodes.map(({ depth }) => depth));
      const candidates = nodes.filter((node) => node.depth === deepest);
      const sameLead = candidates.filter((node) => node.lead === lead);
      const [node] = (sameLead.length > 0 ? sameLead : candidates).sort(
        (a, b) => b.at - a.at || (a.id < b.id ? -1 : 1),
      );
      return { index, node: node! };
    },
    async bodies(digests) {
      return digests.map((digest) => tables.bodies.get(digest));
    },
    async takes(nodes) {
      const found = nodes.flatMap((node) => tables.takes.get(node) ?? []);
      return found.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
    },
    async refs({ on, keys, names, order = 'oldest', ...page }) {
      const found = [...tables.refs.values()].filter(
        (ref) =>
          ref.on === on &&
          ref.value !== null &&
          (keys?.includes(ref.key) ?? true) &&
          (names?.includes(ref.name) ?? true),
      );
      const direction = order === 'oldest' ? 1 : -1;
      found.sort((a, b) => (a.clock < b.clock ? -direction : direction));
      return pageOf(found, keyOf, page);
    },
    async entry(kind, id) {
      return tables.entries.get(`${kind}/${id}`);
    },
    async entries(kind, { of, afterOrder, ...page } = {}) {
      const found = [...tables.entries.values()].filter(
        (entry) =>
          entry.k === kind &&
          (of === undefined || entry.of === of) &&
          (afterOrder === undefined || entry.order > afterOrder),
      );
      found.sort((a, b) => (a.order === b.order ? (a.id < b.id ? -1 : 1) : a.order < b.order ? -1 : 1));
      return pageOf(found, keyOf, page);
    },
    async search({ words: wanted, roles, since = -Infinity, until = Infinity, ...page }) {
      const hits = index()
        .find(wanted.flatMap(wordsOf))
        .filter(({ id }) => {
          const node = tables.nodes.get(id)!;
          return (roles?.includes(node.facts.role) ?? true) && node.at >= since && node.at < until;
        });
      return pageOf(hits, (hit) => hit.id, page);
    },
    async changes(after) {
      const start = after === undefined ? tables.changes.length : Number(after);
      return { items: tables.changes.slice(start), next: String(tables.changes.length), reset: false };
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async isAlive() {
      return true;
    },
    problems: () => [],
    check: async () => [],
    async compact(keep) {
      const records = allRecords(tables);
      const kept = records.filter(keep);
      const { changes } = tables;
      tables = createTables();
      words = undefined;
      for (const record of kept) addRecord(tables, record);
      tables.changes.push(...changes);
      return { kept: kept.length, removed: records.length - kept.length };
    },
    close: async () => undefined,
  };
}

type Tables = ReturnType<typeof createTables>;

function createTables() {
  return {
    nodes: new Map<string, NodeRecord>(),
    children: new Map<string, NodeRecord[]>(),
    echoes: new Map<string, NodeRecord[]>(),
    bodies: new Map<string, string>(),
    takes: new Map<string, TakeRecord[]>(),
    refs: new Map<string, RefRecord>(),
    entries: new Map<string, EntryRecord>(),
    changes: [] as Change[],
  };
}

/** Whether anything is new. */
function addRecord(tables: Tables, record: StoreRecord): boolean {
  switch (record.k) {
    case 'node':
      if (tables.nodes.has(record.id)) return false;
      tables.nodes.set(record.id, record);
      pushTo(tables.children, record.parent, record);
      pushTo(tables.echoes, record.echo, record);
      return true;
    case 'body':
      if (tables.bodies.has(record.digest)) return false;
      tables.bodies.set(record.digest, record.text);
      return true;
    case 'take':
      if (tables.takes.get(record.node)?.some(({ id }) => id === record.id)) return false;
      pushTo(tables.takes, record.node, record);
      return true;
    case 'ref':
      return setLater(tables.refs, keyOf(record), record);
    default:
      return setLater(tables.entries, keyOf(record), record);
  }
}

function setLater<T extends { clock: string }>(map: Map<string, T>, key: string, record: T): boolean {
  const there = map.get(key);
  if (there && there.clock >= record.clock) return false;
  map.set(key, record);
  return true;
}

function pushTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

function allRecords(tables: Tables): StoreRecord[] {
  const bodies = [...tables.bodies].map(([digest, text]) => ({ k: 'body' as const, digest, text }));
  const { nodes, takes, refs, entries } = tables;
  return [...bodies, ...nodes.values(), ...[...takes.values()].flat(), ...refs.values(), ...entries.values()];
}

function changeOf(record: StoreRecord): Change {
  if (record.k === 'take') return { kind: 'take', key: record.id, of: record.node };
  if (record.k === 'ref' || record.k === 'node' || record.k === 'body') return { kind: record.k, key: keyOf(record) };
  return { kind: record.k, key: record.id, of: record.of };
}
