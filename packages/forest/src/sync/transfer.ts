/** Records on their way from one peer to another, page by page. */
import type { RefRecord } from '../model/records.ts';
import type { RecordItem } from './record-index.ts';
import { verify } from './store-peer.ts';
import { SyncError } from './sync-error.ts';
import type { SyncPeer, SyncRecord } from './sync-peer.ts';

/** Ids of this many records are sent at once. */
const AT_ONCE = 256;

/** The registers with these ids, by their ids. */
export async function readRegisters(peer: SyncPeer, ids: readonly string[]): Promise<Map<string, RefRecord>> {
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

/** Sends records from one peer to the other, in this order. */
export async function transfer(
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
