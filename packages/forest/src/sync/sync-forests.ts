import { isConclusion } from '../model/clock.ts';
import type { RefRecord } from '../model/records.ts';
import { refKey } from '../store/records.ts';
import { describeRecord, isWinner, LONGEST_PREFIX, type RecordItem } from './record-index.ts';
import type { SyncSelection } from './selection.ts';
import { verify } from './store-peer.ts';
import { SyncError } from './sync-error.ts';
import { type LocalPeer, SYNC_VERSION, type SyncPeer, type SyncRecord } from './sync-peer.ts';
import type { HeadPair, ResolvedHead } from './thread-heads.ts';

/** Which way records go: to the other forest, from it, or both. */
export type SyncDirection = 'push' | 'pull' | 'both';

/** Options of `syncForests`. */
export interface SyncOptions {
  readonly direction: SyncDirection;
  /** Compares without writing anything. */
  readonly dryRun?: boolean;
  /** Only these conversations; default: everything. Threads that fit on either side are brought together. */
  readonly selection?: SyncSelection;
  /** The stamp of the last meeting. A value that only one side has changed since is no conflict. */
  readonly since?: string;
  readonly onProgress?: (progress: SyncProgress) => void;
}

/** How far a sync has come. */
export interface SyncProgress {
  readonly done: number;
  readonly total: number;
}

/** The result of `syncForests`. */
export interface SyncResult {
  /** Records that the other forest received, or with `dryRun` would receive. */
  readonly sent: number;
  /** Records that this forest received, or with `dryRun` would receive. */
  readonly received: number;
  /** Messages among them. */
  readonly messages: { readonly sent: number; readonly received: number };
  readonly conflicts: readonly SyncConflict[];
  /** What the comparison exchanged. It grows with the difference, not with the size of the forests. */
  readonly compared: { readonly summaries: number; readonly items: number };
}

/** A value that both sides changed. The later one counts; the other one is kept beside it. */
export interface SyncConflict {
  readonly on: RefRecord['on'];
  readonly key: string;
  readonly name: string;
  readonly kept: unknown;
  readonly lost: unknown;
  /** The name under which the other value is kept; for the head of a thread, the thread that now ends there. */
  readonly keptAs: string;
}

/**
 * Brings two forests together: each receives the records that only the other one has. Records never change and deletions
 * are records, too, so this is a union; of two values with the same name the later one counts. It can be interrupted at
 * any time and repeated.
 *
 * @example
 * const { sent, received, conflicts } = await syncForests(storePeer(here), storePeer(there), { direction: 'both' });
 */
export async function syncForests(local: LocalPeer, remote: SyncPeer, options: SyncOptions): Promise<SyncResult> {
  const version = await remote.version();
  if (version !== SYNC_VERSION)
    throw new SyncError(
      'sync_version',
      `The other side speaks version ${version} of the sync protocol, and this one version ${SYNC_VERSION}: update the older one. Nothing was written.`,
    );
  const { selection, ...others } = options;
  if (!selection) return meetPeers(local, remote, others);
  // The same threads on both sides: one whose tag was removed on one side still meets, and loses its tag on the other.
  const lists = await Promise.all([local.threads(selection), remote.threads(selection)]);
  const threads = [...new Set(lists.flat())].sort();
  if (threads.length === 0) return NOTHING;
  return meetPeers(await local.select(threads), await remote.select(threads), others);
}

const NOTHING: SyncResult = {
  sent: 0,
  received: 0,
  messages: { sent: 0, received: 0 },
  conflicts: [],
  compared: { summaries: 0, items: 0 },
};

async function meetPeers(
  local: LocalPeer,
  remote: SyncPeer,
  options: Omit<SyncOptions, 'selection'>,
): Promise<SyncResult> {
  const { direction, dryRun = false, since = '', onProgress = () => undefined } = options;
  const difference = await settleExchanges(local, remote, await compare(local, remote), options);
  const push = direction === 'pull' ? [] : difference.push;
  const pull = direction === 'push' ? [] : difference.pull;
  const heads = await findHeadPairs(local, remote, difference.rivals, since);
  const headKeys = new Set(heads.map(({ later }) => headKey(later.key)));
  const isHead = ({ key }: RecordItem) => headKeys.has(key);
  const found = await findConflicts(local, remote, difference.rivals, since);
  const total = push.length + pull.length;
  let done = 0;
  const onDone = (count: number) => {
    done += count;
    onProgress({ done, total });
  };
  const keep = async (records: readonly RefRecord[]) => {
    const kept = records.map((record) => ({ id: describeRecord(record)!.id, record }));
    if (direction !== 'push' && kept.length > 0) await local.write(kept);
    if (direction !== 'pull' && kept.length > 0) await remote.write(kept);
  };
  const exchange = async (isWanted: (item: RecordItem) => boolean) => {
    await transfer(remote, local, pull.filter(isWanted), onDone);
    await transfer(local, remote, push.filter(isWanted), onDone);
  };
  if (!dryRun) {
    // Before the later value arrives, so that an interruption cannot lose the other one.
    await keep(found.map(({ record }) => record));
    await exchange((item) => !isHead(item));
  }
  // Only now are the nodes here that both heads stand for.
  const settled = heads.length > 0 ? await local.settleHeads(heads) : [];
  if (!dryRun && heads.length > 0) {
    await keep(settled.flatMap(({ records }) => records));
    await exchange(isHead);
  }
  if (!dryRun) await remote.flush?.();
  return {
    sent: push.length,
    received: pull.length,
    messages: { sent: push.filter(isMessage).length, received: pull.filter(isMessage).length },
    conflicts: [...found.map(({ conflict }) => conflict), ...headConflicts(heads, settled)],
    compared: difference.compared,
  };
}

/**
 * An exchange that was copied while it went on, and was taken for lost there, has another place than it has at its end. Its end
 * comes first, so that it has the same place on both sides before they are brought together. Returns the difference that is left.
 */
async function settleExchanges(
  local: SyncPeer,
  remote: SyncPeer,
  difference: RecordDifference,
  { direction, dryRun }: Pick<SyncOptions, 'direction' | 'dryRun'>,
): Promise<RecordDifference> {
  const lost = new Set(
    difference.rivals.flatMap(({ local: one, remote: other }) =>
      isExchange(one) && [one, other].some(({ version }) => isConclusion(String(version))) ? [one.key] : [],
    ),
  );
  if (lost.size === 0 || dryRun) return difference;
  const ways = [
    ...(direction === 'pull' ? [] : [{ from: local, to: remote, items: difference.push }]),
    ...(direction === 'push' ? [] : [{ from: remote, to: local, items: difference.pull }]),
  ];
  for (const { from, to, items } of ways) {
    if (!to.place || !items.some(({ key }) => lost.has(key))) continue;
    const ended = items.filter(({ key }) => [...lost].some((one) => key === one || key.startsWith(`${one}/`)));
    await transfer(from, to, ended, () => undefined);
    await to.place();
  }
  return compare(local, remote);
}

function isExchange({ key }: RecordItem): boolean {
  return key.startsWith('entry/exchange/');
}

function isMessage({ key }: RecordItem): boolean {
  return key.startsWith('node/');
}

/** Lists of this many prefixes or ids are sent at once. */
const AT_ONCE = 256;
/** Prefixes with no more items than this are listed at once. */
const SMALL = 48;

interface RecordDifference {
  /** What the remote side lacks, in the order of sending. */
  readonly push: readonly RecordItem[];
  readonly pull: readonly RecordItem[];
  /** Versions of one record that the sides do not share. */
  readonly rivals: readonly { readonly local: RecordItem; readonly remote: RecordItem }[];
  readonly compared: SyncResult['compared'];
}

/** Finds what each side lacks: prefixes with different summaries are split until few items are left. */
async function compare(local: SyncPeer, remote: SyncPeer): Promise<RecordDifference> {
  let open = [''];
  const leaves: string[] = [];
  const compared = { summaries: 0, items: 0 };
  while (open.length > 0) {
    const next: string[] = [];
    for (const prefixes of inGroups(open)) {
      const [ours, theirs] = await Promise.all([local.summaries(prefixes), remote.summaries(prefixes)]);
      for (const [at, prefix] of prefixes.entries()) {
        for (const [digit, mine] of ours[at]!.entries()) {
          const other = theirs[at]![digit]!;
          compared.summaries += 1;
          if (mine.count === other.count && mine.sum === other.sum) continue;
          const longer = prefix + digit.toString(16);
          const isLeaf = longer.length === LONGEST_PREFIX || Math.max(mine.count, other.count) <= SMALL;
          (isLeaf ? leaves : next).push(longer);
        }
      }
    }
    open = next;
  }
  const mine = new Map<string, RecordItem>();
  const theirs = new Map<string, RecordItem>();
  for (const prefixes of inGroups(leaves)) {
    const [ours, others] = await Promise.all([local.items(prefixes), remote.items(prefixes)]);
    compared.items += others.length;
    const shared = new Set(ours.map(({ id }) => id));
    for (const item of others) if (!shared.delete(item.id)) theirs.set(item.id, item);
    for (const item of ours) if (shared.has(item.id)) mine.set(item.id, item);
  }
  return { ...settle(mine, theirs), compared };
}

/** Of two versions of one record, only the one that counts is sent. */
function settle(mine: Map<string, RecordItem>, theirs: Map<string, RecordItem>): Omit<RecordDifference, 'compared'> {
  const byKey = new Map([...theirs.values()].map((item) => [item.key, item]));
  const rivals: { local: RecordItem; remote: RecordItem }[] = [];
  for (const local of [...mine.values()]) {
    const remote = byKey.get(local.key);
    if (!remote) continue;
    rivals.push({ local, remote });
    if (isWinner(local, remote)) theirs.delete(remote.id);
    else mine.delete(local.id);
  }
  // Exchanges of one conversation arrive in the order of their times, which their keys begin with.
  const inOrder = (items: Map<string, RecordItem>) =>
    [...items.values()].sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
  return { push: inOrder(mine), pull: inOrder(theirs), rivals };
}

/** Values that every message changes, or that a program keeps for itself. */
const NO_CONFLICT = { names: new Set(['touched', 'created']), subjects: new Set(['group', 'forest', 'older']) };

/** Finds the values that both sides have changed, with the records that keep the lost ones. */
async function findConflicts(
  local: SyncPeer,
  remote: SyncPeer,
  rivals: RecordDifference['rivals'],
  since: string,
): Promise<{ conflict: SyncConflict; record: RefRecord }[]> {
  const both = rivals.filter(({ local: a, remote: b }) => isChanged(a, since) && isChanged(b, since));
  const [ours, theirs] = await Promise.all([
    readRefs(
      local,
      both.map((pair) => pair.local.id),
    ),
    readRefs(
      remote,
      both.map((pair) => pair.remote.id),
    ),
  ]);
  return both.flatMap((pair) => {
    const [mine, other] = [ours.get(pair.local.id), theirs.get(pair.remote.id)];
    if (!mine || !other || isThreadHead(mine) || NO_CONFLICT.names.has(mine.name) || NO_CONFLICT.subjects.has(mine.on))
      return [];
    if (JSON.stringify(mine.value) === JSON.stringify(other.value)) return [];
    const [winner, loser] = isWinner(pair.local, pair.remote) ? [mine, other] : [other, mine];
    // Named by the clock of the lost value: whoever finds the conflict writes the same record.
    const record = { ...loser, name: `conflict:${loser.name}:${loser.clock}` };
    const { on, key, name } = winner;
    return [{ conflict: { on, key, name, kept: winner.value, lost: loser.value, keptAs: record.name }, record }];
  });
}

function isThreadHead({ on, name }: RefRecord): boolean {
  return on === 'thread' && name === 'head';
}

function headKey(thread: string): string {
  return `ref/${refKey({ on: 'thread', key: thread, name: 'head' })}`;
}

/** Finds the threads that end elsewhere on the other side. */
async function findHeadPairs(
  local: SyncPeer,
  remote: SyncPeer,
  rivals: RecordDifference['rivals'],
  since: string,
): Promise<HeadPair[]> {
  const some = rivals.filter(({ local: { key } }) => /^ref\/thread\/.*\/head$/s.test(key));
  const [ours, theirs] = await Promise.all([
    readRefs(
      local,
      some.map((pair) => pair.local.id),
    ),
    readRefs(
      remote,
      some.map((pair) => pair.remote.id),
    ),
  ]);
  return some.flatMap((pair) => {
    const [mine, other] = [ours.get(pair.local.id), theirs.get(pair.remote.id)];
    if (!mine || !other || mine.value === other.value) return [];
    const [later, earlier] = isWinner(pair.local, pair.remote) ? [mine, other] : [other, mine];
    return [{ later, earlier, isConflict: isChanged(pair.local, since) && isChanged(pair.remote, since) }];
  });
}

function headConflicts(heads: readonly HeadPair[], settled: readonly ResolvedHead[]): SyncConflict[] {
  return settled.flatMap(({ kept, fork }, at) => {
    const { on, key, name, value } = heads[at]!.earlier;
    return fork === undefined ? [] : [{ on, key, name, kept, lost: value, keptAs: fork }];
  });
}

function isChanged({ key, version }: RecordItem, since: string): boolean {
  return key.startsWith('ref/') && String(version) > since;
}

async function readRefs(peer: SyncPeer, ids: readonly string[]): Promise<Map<string, RefRecord>> {
  const found = new Map<string, RefRecord>();
  for await (const records of pages(peer, ids))
    for (const one of records) {
      verify(one);
      if (one.record.k === 'ref') found.set(one.id, one.record);
    }
  return found;
}

async function* pages(peer: SyncPeer, ids: readonly string[]): AsyncGenerator<readonly SyncRecord[]> {
  for (let start = 0; start < ids.length; ) {
    const { records, done } = await peer.read(ids.slice(start, start + AT_ONCE));
    if (!(done > 0)) throw new SyncError('sync_refused', 'The other side did not send the records it has.');
    yield records;
    start += done;
  }
}

async function transfer(
  from: SyncPeer,
  to: SyncPeer,
  items: readonly RecordItem[],
  onDone: (count: number) => void,
): Promise<void> {
  const ids = items.map(({ id }) => id);
  for await (const records of pages(from, ids)) {
    if (records.length > 0) await to.write(records);
    onDone(records.length);
  }
}

function* inGroups<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += AT_ONCE) yield list.slice(start, start + AT_ONCE);
}
