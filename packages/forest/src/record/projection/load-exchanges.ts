import type { Message } from '@skein/core';
import { allPages } from '../../forest/index.ts';
import { stampOfConclusion } from '../../model/clock.ts';
import type { EntryRecord } from '../../model/records.ts';
import {
  EXCHANGES,
  type Exchange,
  type ExchangeTexts,
  exchangeRecord,
  isWhole,
  readExchangeRecord,
  readTextsOfAll,
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

/**
 * Marks exchanges that a dead process left open as cut. A process of another machine whose forest was copied seems to be dead, too:
 * what it stores at the end counts, whatever the clocks say.
 */
export async function closeLost(
  { store, clock }: RecordingForest,
  entries: readonly EntryRecord[],
): Promise<EntryRecord[]> {
  const found: EntryRecord[] = [];
  // A process that is ending knows more of its own exchanges than is stored.
  const alive = new Map([[store.writer, true]]);
  const isAlive = async (writer: string): Promise<boolean> => {
    const known = alive.get(writer) ?? (await store.isAlive(writer));
    alive.set(writer, known);
    return known;
  };
  for (const entry of entries) {
    clock.see(entry.clock);
    const exchange = readExchangeRecord(entry);
    const isLost = exchange?.outcome === 'open' && !(await isAlive(exchange.writer));
    found.push(isLost ? exchangeRecord(asCut(exchange), stampOfConclusion(entry.clock)) : entry);
    if (isLost) await store.append([found.at(-1)!]);
  }
  return found;
}

function asCut(exchange: Exchange): Exchange {
  return { ...exchange, outcome: 'cut', error: 'the process that recorded it ended' };
}

/** Reads what exchanges say, in their order; undefined for one that this version cannot read, or whose parts are missing. */
export async function readContents(
  forest: RecordingForest,
  items: readonly { readonly id: string; readonly entry?: EntryRecord }[],
): Promise<(ExchangeContent | undefined)[]> {
  const { store } = forest;
  const records = await Promise.all(items.map(({ id, entry }) => entry ?? store.entry('exchange', id)));
  const exchanges = records.map((record) => record && readExchangeRecord(record));
  const texts = new Map(items.map(({ id }) => [id, recentTexts(store).take(id)]));
  const stored = exchanges.filter((exchange) => exchange !== undefined && !texts.get(exchange.id)) as Exchange[];
  const read = stored.length === 0 ? [] : await readTextsOfAll(store, stored);
  stored.forEach((exchange, at) => {
    if (hasAllParts(exchange, read[at]!)) texts.set(exchange.id, read[at]);
  });
  return Promise.all(
    exchanges.map(async (exchange) => {
      const found = exchange && texts.get(exchange.id);
      return found && readExchange(exchange, found, await readRestored(forest, exchange));
    }),
  );
}

/** An exchange without all of its parts keeps the placement that it had with them. */
function hasAllParts(exchange: Exchange, texts: ExchangeTexts): boolean {
  return isWhole(exchange, {
    request: byteLength(texts.request),
    // What a gateway sent to its client is not joined for this.
    response: texts.upstream ? 0 : byteLength(texts.response),
    upstream: byteLength(texts.upstream?.response ?? ''),
  });
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
