import type { Message } from '@skein/core';
import { allPages } from '../../forest/index.ts';
import type { EntryRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import {
  EXCHANGES,
  type Exchange,
  type ExchangeTexts,
  exchangeRecord,
  isWhole,
  readExchangeRecord,
  readTexts,
} from '../exchange.ts';
import { readGatewayReply } from '../gateway-replies.ts';
import { type ExchangeContent, readExchange } from '../read-exchange.ts';
import { recentTexts } from '../recent-texts.ts';
import type { RecordingForest } from '../recorder.ts';
import { byteLength } from '../response-buffer.ts';

const PAGE = 500;

/** Reads the exchange records behind a position, in parts. */
export async function* loadExchanges(
  forest: RecordingForest,
  position: string,
  size: number,
): AsyncGenerator<readonly EntryRecord[]> {
  const { store } = forest;
  const query = { of: EXCHANGES, limit: PAGE, ...(position !== '' && { afterOrder: position }) };
  let part: EntryRecord[] = [];
  for await (const items of allPages((page) => store.entries('exchange', { ...page, ...query }))) {
    part.push(...(await closeLost(forest, items)));
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  yield part;
}

/** Marks exchanges that a dead process left open as cut. */
export async function closeLost(
  { store, clock }: RecordingForest,
  entries: readonly EntryRecord[],
): Promise<EntryRecord[]> {
  const found: EntryRecord[] = [];
  for (const entry of entries) {
    clock.see(entry.clock);
    const exchange = readExchangeRecord(entry);
    const isLost = exchange?.outcome === 'open' && !(await store.isAlive(exchange.writer));
    found.push(isLost ? exchangeRecord(asCut(exchange), clock.tick()) : entry);
    if (isLost) await store.append([found.at(-1)!]);
  }
  return found;
}

function asCut(exchange: Exchange): Exchange {
  return { ...exchange, outcome: 'cut', error: 'the process that recorded it ended' };
}

/** Reads what an exchange says; undefined if this version cannot read it, or parts of it are missing. */
export async function readContent(
  forest: RecordingForest,
  { id, entry }: { readonly id: string; readonly entry?: EntryRecord },
): Promise<ExchangeContent | undefined> {
  const { store } = forest;
  const record = entry ?? (await store.entry('exchange', id));
  const exchange = record && readExchangeRecord(record);
  if (!exchange) return undefined;
  const texts = recentTexts(store).take(id) ?? (await readWhole(store, exchange));
  return texts && readExchange(exchange, texts, await readRestored(forest, exchange));
}

/** The texts of an exchange; undefined where parts are missing. It keeps the placement that it had with them. */
async function readWhole(store: Store, exchange: Exchange): Promise<ExchangeTexts | undefined> {
  const texts = await readTexts(store, exchange);
  const { request, upstream } = texts;
  const stored = {
    request: byteLength(request),
    response: upstream ? 0 : byteLength(texts.response),
    upstream: byteLength(upstream?.response ?? ''),
  };
  return isWhole(exchange, stored) ? texts : undefined;
}

/** The replies that a gateway sent in place of messages of the client. */
async function readRestored(forest: RecordingForest, { upstream }: Exchange): Promise<ReadonlyMap<number, Message>> {
  const restored = new Map<number, Message>();
  for (const [at, id] of Object.entries(upstream?.restored ?? {})) {
    const found = await readGatewayReply(forest, id);
    if (found) restored.set(Number(at), found.reply.message);
  }
  return restored;
}
