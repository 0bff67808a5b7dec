import { addEntryTexts, addTakeTexts, allPages } from '../forest/index.ts';
import { ROOT } from '../model/ids.ts';
import {
  ENTRY_KINDS,
  type EntryRecord,
  type NodeRecord,
  REF_SUBJECTS,
  type RefRecord,
  type StoreRecord,
  type TakeRecord,
} from '../model/records.ts';
import {
  countPart,
  EXCHANGES,
  isWhole,
  PLACEMENT_REF,
  placedNodes,
  readExchangeRecord,
  readPlacement,
  type StoredBytes,
} from '../record/index.ts';
import type { Change, Store } from '../store/index.ts';
import { hashFault, isRecord } from '../store/records.ts';
import { readRecords, readRefs } from './read-records.ts';
import { createRecordIndex, describeRecord, type RecordIndex, recordSum } from './record-index.ts';
import { findThreads, readSelected } from './selection.ts';
import { SyncError } from './sync-error.ts';
import { type LocalPeer, SYNC_VERSION, type SyncRecord } from './sync-peer.ts';
import { settleHeads } from './thread-heads.ts';

/** Characters of one page of records; a single larger record is a page of its own. */
const PAGE_SIZE = 4 * 1024 * 1024;
const AT_ONCE = 200;
/** A store that is written all the time is not read for ever. */
const MOST_ROUNDS = 10;

/** Values under this key belong to one copy of a forest, such as when it last met another, and do not travel. */
export const OWN_VALUES = { on: 'forest', key: 'sync' } as const;
/** What processes of this copy are about to do: the claims of the engine. */
const CLAIMS = 'engine';

/**
 * The forest in a store as a peer. The first call reads the whole store; later ones read what has changed since.
 *
 * @example
 * const result = await syncForests(storePeer(here), storePeer(there), { direction: 'both' });
 */
export function storePeer(store: Store): LocalPeer {
  return createPeer(store);
}

/** With `threads`, the peer compares and sends only what belongs to these. */
function createPeer(store: Store, threads?: readonly string[]): LocalPeer {
  let index = createRecordIndex();
  let cursor: string | undefined;
  let refreshing: Promise<unknown> = Promise.resolve();

  const readOnce = async (): Promise<boolean> => {
    const changes = await store.changes(cursor);
    if (cursor === changes.next) return false;
    if (threads || cursor === undefined || changes.reset) {
      const read = (damaged: ReadonlySet<string>) => {
        index = createRecordIndex();
        return threads ? readThreadRecords(store, index, threads) : readAll(store, index, damaged);
      };
      const damaged = await read(new Set());
      if (damaged.size > 0) await read(damaged);
    } else await readChanges(store, index, changes.items);
    cursor = changes.next;
    return true;
  };
  /** Nodes are read before what refers to them, so what is written meanwhile is read again, until nothing is. */
  const refresh = async () => {
    for (let rounds = 0; rounds < MOST_ROUNDS && (await readOnce()); rounds++);
  };
  /** One at a time: two would read the same changes. */
  const upToDate = async () => {
    refreshing = refreshing.catch(() => undefined).then(refresh);
    await refreshing;
    return index;
  };

  return {
    version: async () => SYNC_VERSION,
    threads: (selection) => findThreads(store, selection),
    select: async (some) => createPeer(store, some),
    settleHeads: (rivals) => settleHeads(store, rivals),
    async summaries(prefixes) {
      // A comparison begins at the top; below it, the index must stay the one that was summed up there.
      const current = cursor === undefined || prefixes.includes('') ? await upToDate() : index;
      return prefixes.map((prefix) => current.summaries(prefix));
    },
    async items(prefixes) {
      const current = cursor === undefined ? await upToDate() : index;
      return prefixes.flatMap((prefix) => current.items(prefix));
    },
    async read(ids) {
      const records: SyncRecord[] = [];
      let size = 0;
      let done = 0;
      while (done < ids.length && size < PAGE_SIZE) {
        const some = ids.slice(done, done + AT_ONCE);
        const found = await readRecords(store, index, some);
        for (const id of some) {
          const record = found.get(id);
          if (record) {
            const length = JSON.stringify(record).length;
            if (records.length > 0 && size + length > PAGE_SIZE) return { records, done };
            const sum = recordSum(record);
            records.push({ id, record, ...(sum !== undefined && { sum }) });
            size += length;
          }
          done += 1;
        }
      }
      return { records, done };
    },
    async write(records) {
      for (const one of records) verify(one);
      await verifyPlaces(store, records);
      await store.append(records.map(({ record }) => record));
    },
  };
}

/** Throws unless a record is what its id says. */
export function verify({ id, record, sum }: SyncRecord): void {
  const isObject = typeof record === 'object' && record !== null;
  const item = isObject && isRecord(record) ? describeRecord(record) : undefined;
  const fault = item && hashFault(record);
  if (fault !== undefined) throw new SyncError('sync_refused', `${fault} Nothing of this batch was written.`);
  if (!item || item.id !== id || sum !== recordSum(record) || isOwn(record))
    throw new SyncError(
      'sync_refused',
      `A record that arrived is not the one with the id ${String(id).slice(0, 40)}. Nothing of this batch was written.`,
    );
}

/** Throws unless every node comes after its parent and its text, one step deeper. */
async function verifyPlaces(store: Store, records: readonly SyncRecord[]): Promise<void> {
  const depths = new Map([[ROOT, 0]]);
  const texts = new Set<string>();
  const nodes: NodeRecord[] = [];
  for (const { record } of records) {
    if (record.k === 'body') texts.add(record.digest);
    if (record.k !== 'node') continue;
    nodes.push(record);
    depths.set(record.id, record.depth);
  }
  const parents = [...new Set(nodes.map(({ parent }) => parent))].filter((id) => !depths.has(id));
  for (const parent of await store.nodes(parents)) if (parent) depths.set(parent.id, parent.depth);
  const digests = [...new Set(nodes.map(({ body }) => body))].filter((digest) => !texts.has(digest));
  for (const [at, text] of (await store.bodies(digests)).entries()) if (text !== undefined) texts.add(digests[at]!);
  for (const { id, parent, depth, body } of nodes)
    if (depths.get(parent) !== depth - 1 || !texts.has(body))
      throw new SyncError(
        'sync_refused',
        `Node ${id} arrived without its parent or its text, or at the wrong depth. Nothing of this batch was written.`,
      );
}

function isOwn(record: StoreRecord): boolean {
  return record.k === 'ref' && record.on === OWN_VALUES.on && (record.key === OWN_VALUES.key || record.key === CLAIMS);
}

function putAll(index: RecordIndex, records: readonly StoreRecord[]): void {
  for (const record of records) {
    const item = isOwn(record) ? undefined : describeRecord(record);
    if (item) index.put(item);
  }
}

/** Leaves out what needs a damaged text, and returns the texts that are missing or damaged. */
async function readAll(store: Store, index: RecordIndex, damaged: ReadonlySet<string>): Promise<Set<string>> {
  const needed = new Set<string>();
  for await (const nodes of allPages((page) => store.scan(page))) {
    for await (const records of readWholeNodes(store, index, nodes, needed, damaged)) putAll(index, records);
  }
  const parts = new Map<string, StoredBytes>();
  for (const kind of ENTRY_KINDS)
    for await (const entries of allPages((page) => store.entries(kind, page))) {
      const gone = await findGone(
        store,
        index,
        entries.filter(isGeneration).map(({ of }) => of),
      );
      for (const entry of entries) {
        await addEntryTexts(store, entry, needed);
        // A generation without its message cannot be resumed.
        if (isExchange(entry) || (isGeneration(entry) && gone.has(entry.of))) continue;
        putAll(index, [entry]);
        if (kind === 'exchange') countPart(readOrMake(parts, entry.of), entry);
      }
    }
  // Only now are all parts counted.
  for await (const entries of allPages((page) => store.entries('exchange', { of: EXCHANGES, ...page })))
    putAll(
      index,
      entries.filter((entry) => hasParts(entry, parts)),
    );
  for (const on of REF_SUBJECTS)
    for await (const refs of allPages((page) => store.refs({ on, ...page })))
      putAll(index, await withoutDangling(store, index, refs));
  return putBodies(store, index, [...needed]);
}

function isGeneration({ k }: EntryRecord): boolean {
  return k === 'generation';
}

function isExchange({ k, of }: EntryRecord): boolean {
  return k === 'exchange' && of === EXCHANGES;
}

/** An exchange without its parts is left out: where it arrives, it would count as one that said nothing. */
function hasParts(entry: EntryRecord, parts: ReadonlyMap<string, StoredBytes>): boolean {
  const exchange = readExchangeRecord(entry);
  return !exchange || isWhole(exchange, parts.get(entry.id) ?? NO_BYTES);
}

const NO_BYTES: StoredBytes = { request: 0, response: 0, upstream: 0 };

function readOrMake(parts: Map<string, StoredBytes>, exchange: string): StoredBytes {
  const found = parts.get(exchange) ?? { ...NO_BYTES };
  parts.set(exchange, found);
  return found;
}

async function readThreadRecords(store: Store, index: RecordIndex, threads: readonly string[]): Promise<Set<string>> {
  const needed = new Set<string>();
  for await (const records of readSelected(store, threads, needed)) putAll(index, records);
  return putBodies(store, index, [...needed]);
}

/**
 * Yields nodes that a peer can receive, and then their takes. A node whose parent or text is damaged is left out with all
 * that is below it, so that the damage does not spread; a peer that has it sends it.
 */
async function* readWholeNodes(
  store: Store,
  index: RecordIndex,
  nodes: readonly NodeRecord[],
  needed: Set<string>,
  damaged: ReadonlySet<string>,
): AsyncGenerator<readonly StoreRecord[]> {
  const texts = await store.bodies(nodes.map(({ body }) => body));
  const whole = new Map<string, NodeRecord>();
  for (const [at, node] of nodes.entries()) {
    const hasParent = node.parent === ROOT || whole.has(node.parent) || index.hasKey(`node/${node.parent}`);
    if (!hasParent || texts[at] === undefined) continue;
    whole.set(node.id, node);
    needed.add(node.body);
  }
  yield [...whole.values()];
  yield readWholeTakes(store, [...whole.keys()], needed, damaged);
}

/** Reads takes, without those that need a damaged text: their requests could not be rebuilt. */
async function readWholeTakes(
  store: Store,
  nodes: readonly string[],
  needed: Set<string>,
  damaged: ReadonlySet<string>,
): Promise<TakeRecord[]> {
  const found: TakeRecord[] = [];
  for (const take of await store.takes(nodes)) {
    const own = damaged.size > 0 ? new Set<string>() : needed;
    await addTakeTexts(store, take, own);
    if (damaged.size > 0 && [...own].some((digest) => damaged.has(digest))) continue;
    if (own !== needed) for (const digest of own) needed.add(digest);
    found.push(take);
  }
  return found;
}

/** The values that name a node: a thread or a bookmark without it could not be shown. */
const NODE_VALUES: ReadonlySet<string> = new Set(['thread/head', 'thread/start', 'bookmark/node']);

/** The nodes that a value names. Whoever has the placement of an exchange does not write its nodes. */
function namedNodes({ on, name, value }: RefRecord): readonly string[] {
  if (NODE_VALUES.has(`${on}/${name}`)) return [String(value)];
  const placement = on === 'forest' && name === PLACEMENT_REF ? readPlacement(value) : undefined;
  return placement ? [...placedNodes(placement), ...(placement.parent === undefined ? [] : [placement.parent])] : [];
}

/** Leaves out values that name a node which was left out. */
async function withoutDangling(
  store: Store,
  index: RecordIndex,
  refs: readonly RefRecord[],
): Promise<readonly RefRecord[]> {
  const gone = await findGone(store, index, refs.flatMap(namedNodes));
  return gone.size === 0 ? refs : refs.filter((ref) => !namedNodes(ref).some((id) => gone.has(id)));
}

/** The nodes that are not sent. One that was moved may be gone from the store; its redirect leads on. */
async function findGone(store: Store, index: RecordIndex, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const missing = [...new Set(ids)].filter((id) => id !== ROOT && !index.hasKey(`node/${id}`));
  if (missing.length === 0) return new Set();
  const moved = await store.refs({ on: 'node', keys: missing, names: ['moved'], limit: missing.length });
  const gone = new Set(missing);
  for (const { key } of moved.items) gone.delete(key);
  return gone;
}

/** Only texts that can be read count, so that a damaged one is asked for. Returns the others. */
async function putBodies(store: Store, index: RecordIndex, digests: readonly string[]): Promise<Set<string>> {
  const missing = new Set<string>();
  for (let start = 0; start < digests.length; start += AT_ONCE) {
    const some = digests.slice(start, start + AT_ONCE);
    const texts = await store.bodies(some);
    const found = some.filter((digest, at) => texts[at] !== undefined || !missing.add(digest));
    putAll(
      index,
      found.map((digest) => ({ k: 'body', digest, text: '' })),
    );
  }
  return missing;
}

async function readChanges(store: Store, index: RecordIndex, changes: readonly Change[]): Promise<void> {
  const keysOf = (kind: Change['kind']) => [
    ...new Set(changes.filter((one) => one.kind === kind).map(({ key }) => key)),
  ];
  const needed = new Set<string>();
  const changed = (await store.nodes(keysOf('node'))).filter((node) => node !== undefined);
  const nodes = changed.sort((a, b) => a.depth - b.depth);
  for await (const records of readWholeNodes(store, index, nodes, needed, new Set())) putAll(index, records);
  const taken = new Set(changes.flatMap(({ kind, of }) => (kind === 'take' && of !== undefined ? [of] : [])));
  const takes = await store.takes([...taken].filter((node) => index.hasKey(`node/${node}`)));
  for (const take of takes) await addTakeTexts(store, take, needed);
  const entries: EntryRecord[] = [];
  // An exchange may have been left out until a part of it arrived.
  const exchanges = changes.flatMap(({ kind, of }) => (kind === 'exchange' && of !== undefined ? [of] : []));
  for (const kind of ENTRY_KINDS)
    for (const id of new Set([...keysOf(kind), ...(kind === 'exchange' ? exchanges : [])])) {
      const entry = await store.entry(kind, id);
      if (entry) entries.push(entry);
    }
  for (const entry of entries) await addEntryTexts(store, entry, needed);
  const parts = new Map<string, StoredBytes>();
  for (const { id } of entries.filter(isExchange))
    for await (const some of allPages((page) => store.entries('exchange', { of: id, ...page })))
      for (const part of some) countPart(readOrMake(parts, id), part);
  const gone = await findGone(
    store,
    index,
    entries.filter(isGeneration).map(({ of }) => of),
  );
  const whole = entries.filter((entry) => {
    if (isGeneration(entry)) return !gone.has(entry.of);
    return !isExchange(entry) || hasParts(entry, parts);
  });
  const refs = await readRefs(store, keysOf('ref'));
  putAll(index, [...takes, ...whole, ...(await withoutDangling(store, index, refs))]);
  await putBodies(store, index, [...needed]);
}
