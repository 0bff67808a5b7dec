import { everyItem } from '../forest/pages.ts';
import type { EntryRecord } from '../model/index.ts';
import { EXCHANGES, type Exchange, exchangeOf, exchangeRecord } from './exchange.ts';
import type { RecordingForest } from './recorder.ts';

/** All exchanges of a forest; those that a dead process had under way are closed first, as far as they came. */
export async function everyExchange({ store, clock }: RecordingForest): Promise<EntryRecord[]> {
  const found: EntryRecord[] = [];
  for await (const entry of everyItem((page) => store.entries('exchange', { of: EXCHANGES, ...page }))) {
    clock.see(entry.clock);
    const exchange = exchangeOf(entry);
    const isLost = exchange?.outcome === 'open' && !(await store.isAlive(exchange.writer));
    found.push(isLost ? exchangeRecord(closed(exchange), clock.tick()) : entry);
    if (isLost) await store.append([found.at(-1)!]);
  }
  return found;
}

function closed(exchange: Exchange): Exchange {
  return { ...exchange, outcome: 'cut', error: 'the process that recorded it ended' };
}
