import { followRedirects, memberName, openingGroupId, readOpening } from '../forest/index.ts';
import { stampAfter, stampTime } from '../model/clock.ts';
import { ROOT, sha256 } from '../model/ids.ts';
import type { RefRecord } from '../model/records.ts';
import { forkedThreadId } from '../record/index.ts';
import type { Store } from '../store/index.ts';

/** The heads that two forests have for one thread. */
export interface HeadPair {
  /** The one with the later clock. */
  readonly later: RefRecord;
  readonly earlier: RefRecord;
  /** Whether both sides set it since they last met. */
  readonly isConflict: boolean;
  /** In a push, the head of the receiver if it knew ours when it was set: ours is what was pushed the last time. */
  readonly ofReceiver?: RefRecord;
}

/** What becomes of two heads of one thread. */
export interface ResolvedHead {
  /** The records that have to be written on both sides before the later head counts. */
  readonly records: readonly RefRecord[];
  /** The head that counts. */
  readonly kept: unknown;
  /** The thread that now ends at the other head; absent if the thread itself passes through it. */
  readonly fork?: string;
}

/**
 * Settles the heads of a thread that two forests have set. The clock alone must not decide: a recorder that knows only the
 * first turns of a conversation, on a machine whose clock is ahead, would hide the turns that the other one recorded.
 *
 * - If one head is below the other, the lower one counts: the thread still passes through both.
 * - Otherwise the conversation went on in two ways. The later head counts, and a fork of the thread ends at the other one.
 *
 * Whoever meets the same heads makes the same records.
 */
export async function settleHeads(store: Store, rivals: readonly HeadPair[]): Promise<readonly ResolvedHead[]> {
  const threads = rivals.map(({ later }) => later.key);
  const { items } = await store.refs({ on: 'thread', keys: threads, names: ['recorded'], limit: threads.length });
  const recorded = new Set(items.filter(({ value }) => value === true).map(({ key }) => key));
  const now = await followRedirects(
    store,
    rivals.flatMap(({ later, earlier }) => [String(later.value), String(earlier.value)]),
  );
  const settled: ResolvedHead[] = [];
  for (const { later, earlier, isConflict, ofReceiver } of rivals) {
    const stays: ResolvedHead = { records: [], kept: later.value };
    // A person may move the head of a thread up again; an exchange never does.
    const mayBeStale = isConflict || recorded.has(later.key);
    const [mine, other] = [now.get(String(later.value))!, now.get(String(earlier.value))!];
    if (!mayBeStale || ofReceiver === later || (await isAtOrAbove(store, other, mine))) settled.push(stays);
    else if (ofReceiver === earlier || (await isAtOrAbove(store, mine, other)))
      settled.push({ records: [withClock(earlier, stampAfter(later.clock))], kept: earlier.value });
    else settled.push(isConflict ? { ...stays, ...(await forkAt(store, earlier)) } : stays);
  }
  return settled;
}

async function isAtOrAbove(store: Store, upper: string, lower: string): Promise<boolean> {
  if (upper === lower || upper === ROOT) return true;
  const [top] = await store.nodes([upper]);
  return top !== undefined && (await store.path(lower)).some(({ id }) => id === upper);
}

/** A thread that ends at the other head. Its values follow from the head alone. */
async function forkAt(
  store: Store,
  { key, value, clock }: RefRecord,
): Promise<Required<Pick<ResolvedHead, 'records' | 'fork'>>> {
  const head = String(value);
  const fork = forkedThreadId(key, head);
  const { title, opening } = await readOpening(store, head);
  const group = openingGroupId(opening);
  const time = stampTime(clock) ?? 0;
  const values = { start: ROOT, head, title, created: time, touched: time, forkedFrom: key };
  const make = (on: RefRecord['on'], of: string, name: string, said: unknown) =>
    withClock({ k: 'ref', on, key: of, name, value: said, clock }, clock);
  return {
    fork,
    records: [
      ...Object.entries({ ...values, ...(group !== undefined && { group }) }).map(([name, said]) =>
        make('thread', fork, name, said),
      ),
      ...(group === undefined ? [] : [make('group', group, memberName(fork), time)]),
    ],
  };
}

/** A clock with a hash of the value: two meetings that settle differently never make two values with one clock. */
function withClock(ref: RefRecord, clock: string): RefRecord {
  return { ...ref, clock: `${clock}-${sha256(JSON.stringify(ref.value)).slice(0, 8)}` };
}
