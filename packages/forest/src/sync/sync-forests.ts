import type { RefRecord } from '../model/records.ts';
import { refKey } from '../store/records.ts';
import { comparePeers, type RecordDifference } from './compare-peers.ts';
import { describeRecord, isWinner, type RecordItem } from './record-index.ts';
import type { SyncSelection } from './selection.ts';
import { SyncError } from './sync-error.ts';
import { type LocalPeer, SYNC_VERSION, type SyncPeer } from './sync-peer.ts';
import type { HeadPair, ResolvedHead } from './thread-heads.ts';
import { readRegisters, transfer } from './transfer.ts';

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
  const { direction, dryRun = false, onProgress = () => undefined } = options;
  const difference = await comparePeers(local, remote);
  const push = direction === 'pull' ? [] : difference.push;
  const pull = direction === 'push' ? [] : difference.pull;
  const heads = await findHeadPairs(local, remote, difference.rivals, options);
  const headKeys = new Set(heads.map(({ later }) => headKey(later.key)));
  const isHead = ({ key }: RecordItem) => headKeys.has(key);
  const found = await findConflicts(local, remote, difference.rivals, options);
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

function isMessage({ key }: RecordItem): boolean {
  return key.startsWith('node/');
}

/** Values that every message changes, or that a program keeps for itself. */
const NO_CONFLICT = { names: new Set(['touched', 'created']), subjects: new Set(['group', 'forest', 'older']) };

/** Finds the values that both sides have changed, with the records that keep the lost ones. */
async function findConflicts(
  local: SyncPeer,
  remote: SyncPeer,
  rivals: RecordDifference['rivals'],
  { direction, since = '' }: Pick<SyncOptions, 'direction' | 'since'>,
): Promise<{ conflict: SyncConflict; record: RefRecord }[]> {
  const both = rivals.filter(({ local: a, remote: b }) => isChanged(a, since) && isTheirs(b, { direction, since }));
  const [ours, theirs] = await Promise.all([
    readRegisters(
      local,
      both.map((pair) => pair.local.id),
    ),
    readRegisters(
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

/** Finds the threads that end elsewhere on the other side. */
async function findHeadPairs(
  local: SyncPeer,
  remote: SyncPeer,
  rivals: RecordDifference['rivals'],
  { direction, since = '' }: Pick<SyncOptions, 'direction' | 'since'>,
): Promise<HeadPair[]> {
  const some = rivals.filter(({ local: { key } }) => /^ref\/thread\/.*\/head$/s.test(key));
  const [ours, theirs] = await Promise.all([
    readRegisters(
      local,
      some.map((pair) => pair.local.id),
    ),
    readRegisters(
      remote,
      some.map((pair) => pair.remote.id),
    ),
  ]);
  return some.flatMap((pair) => {
    const [mine, other] = [ours.get(pair.local.id), theirs.get(pair.remote.id)];
    if (!mine || !other || mine.value === other.value) return [];
    const [later, earlier] = isWinner(pair.local, pair.remote) ? [mine, other] : [other, mine];
    const isOurs = isChanged(pair.local, since);
    const isConflict = isOurs && isTheirs(pair.remote, { direction, since });
    return [{ later, earlier, isConflict, ...(direction === 'push' && !isOurs && { ofReceiver: other }) }];
  });
}

function headConflicts(heads: readonly HeadPair[], settled: readonly ResolvedHead[]): SyncConflict[] {
  return settled.flatMap(({ kept, fork }, at) => {
    const { on, key, name, value } = heads[at]!.earlier;
    return fork === undefined ? [] : [{ on, key, name, kept, lost: value, keptAs: fork }];
  });
}

/** Whether the other side has changed a value since. After a push, nothing is known of its clock. */
function isTheirs(item: RecordItem, { direction, since = '' }: Pick<SyncOptions, 'direction' | 'since'>): boolean {
  return isChanged(item, direction === 'push' ? '' : since);
}

function isChanged({ key, version }: RecordItem, since: string): boolean {
  return key.startsWith('ref/') && String(version) > since;
}

function headKey(thread: string): string {
  return `ref/${refKey({ on: 'thread', key: thread, name: 'head' })}`;
}
