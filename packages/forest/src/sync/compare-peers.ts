/** What two peers have, compared by summaries: what passes between them grows with the difference, not with the size. */
import { isWinner, LONGEST_PREFIX, type RecordItem } from './record-index.ts';
import type { SyncPeer } from './sync-peer.ts';

/** Lists of this many prefixes are sent at once. */
const AT_ONCE = 256;
/** Prefixes with no more items than this are listed at once. */
const SMALL = 48;

/** What two peers do not share. */
export interface RecordDifference {
  /** What the remote side lacks, in the order of sending. */
  readonly push: readonly RecordItem[];
  readonly pull: readonly RecordItem[];
  /** Versions of one record that the sides do not share. */
  readonly rivals: readonly { readonly local: RecordItem; readonly remote: RecordItem }[];
  readonly compared: { readonly summaries: number; readonly items: number };
}

/** Finds what each side lacks: prefixes with different summaries are split until few items are left. */
export async function comparePeers(local: SyncPeer, remote: SyncPeer): Promise<RecordDifference> {
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

function* inGroups<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += AT_ONCE) yield list.slice(start, start + AT_ONCE);
}
