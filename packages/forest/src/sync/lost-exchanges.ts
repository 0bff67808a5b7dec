/**
 * Exchanges whose process seemed to be dead where they were copied to, while it recorded them elsewhere: there they count as cut,
 * and have another place than at their end.
 */
import { isConclusion } from '../model/clock.ts';
import type { RefRecord } from '../model/records.ts';
import { PLACEMENT_REF, readPlacement } from '../record/index.ts';
import { refKey } from '../store/records.ts';
import { comparePeers, type RecordDifference } from './compare-peers.ts';
import type { RecordItem } from './record-index.ts';
import type { SyncOptions } from './sync-forests.ts';
import type { SyncPeer } from './sync-peer.ts';
import { readRegisters, transfer } from './transfer.ts';

const EXCHANGE = 'entry/exchange/';

/**
 * Brings the ends of exchanges that one side took for lost to that side, which then places them anew, and compares again. What a
 * side that is only read says of their places does not count.
 */
export async function settleLost(
  local: SyncPeer,
  remote: SyncPeer,
  difference: RecordDifference,
  { direction, dryRun }: Pick<SyncOptions, 'direction' | 'dryRun'>,
): Promise<RecordDifference> {
  const lost = findLost(difference.rivals);
  if (lost.size === 0) return difference;
  const ways = [
    ...(direction === 'pull' ? [] : [{ from: local, to: remote, items: difference.push }]),
    ...(direction === 'push' ? [] : [{ from: remote, to: local, items: difference.pull }]),
  ];
  let left = difference;
  for (const { from, to, items } of ways) {
    const ended = items.filter((item) => isOfExchange(item, lost));
    if (dryRun || !to.place || ended.length === 0) continue;
    await transfer(from, to, ended, () => undefined);
    await to.place();
    left = await comparePeers(local, remote);
  }
  if (direction === 'both') return left;
  const [reader, items] = direction === 'push' ? [local, left.push] : [remote, left.pull];
  const wrong = await findWrongPlaces(reader, items, findLost(left.rivals));
  const isRight = ({ key }: RecordItem) => !wrong.has(key);
  return {
    ...left,
    push: left.push.filter(isRight),
    pull: left.pull.filter(isRight),
    rivals: left.rivals.filter((rival) => isRight(rival.local)),
  };
}

/** The keys of exchanges that one side took for lost, and the other one did not. */
function findLost(rivals: readonly { readonly local: RecordItem; readonly remote: RecordItem }[]): ReadonlySet<string> {
  const lost = rivals.filter(
    ({ local, remote }) =>
      local.key.startsWith(EXCHANGE) && [local, remote].some(({ version }) => isConclusion(String(version))),
  );
  return new Set(lost.map(({ local }) => local.key));
}

/** Whether an item is one of these exchanges, or a part of one. */
function isOfExchange({ key }: RecordItem, exchanges: ReadonlySet<string>): boolean {
  if (!key.startsWith(EXCHANGE)) return false;
  const end = key.indexOf('/', EXCHANGE.length);
  return exchanges.has(end < 0 ? key : key.slice(0, end));
}

/**
 * The keys of what one side says of the places of these exchanges although they ended otherwise: the places, and the heads of threads that
 * are there.
 */
async function findWrongPlaces(
  peer: SyncPeer,
  items: readonly RecordItem[],
  exchanges: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const read = async (isWanted: (key: string) => boolean) => {
    const ids = items.filter(({ key }) => isWanted(key)).map(({ id }) => id);
    return [...(await readRegisters(peer, ids)).values()];
  };
  const places = new Set([...exchanges].map(placeKey));
  const nodes = new Map<string, string | undefined>();
  for (const { value } of await read((key) => places.has(key))) {
    const { thread, node, parent } = readPlacement(value) ?? {};
    if (thread !== undefined) nodes.set(headKey(thread), node ?? parent);
  }
  const heads = await read((key) => nodes.has(key));
  return new Set([
    ...places,
    ...heads.map(({ key }) => headKey(key)).filter((key, at) => nodes.get(key) === heads[at]!.value),
  ]);
}

/** Whether an exchange is among the items without its place. */
export function hasUnplaced(items: readonly RecordItem[]): boolean {
  const keys = new Set(items.map(({ key }) => key));
  return items.some(
    ({ key }) => key.startsWith(EXCHANGE) && !key.includes('/', EXCHANGE.length) && !keys.has(placeKey(key)),
  );
}

/** The key of the item that is the head of a thread. */
export function headKey(thread: string): string {
  return refItemKey({ on: 'thread', key: thread, name: 'head' });
}

function placeKey(exchange: string): string {
  return refItemKey({ on: 'forest', key: exchange.slice(EXCHANGE.length), name: PLACEMENT_REF });
}

function refItemKey(ref: Pick<RefRecord, 'on' | 'key' | 'name'>): string {
  return `ref/${refKey(ref)}`;
}
