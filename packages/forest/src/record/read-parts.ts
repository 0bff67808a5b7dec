import { type EntryRecord, unpackBytes } from '../model/index.ts';
import type { Page, Store } from '../store/index.ts';
import { requestPartId } from './exchange.ts';

/** The exact bytes of an exchange, as far as they were kept. */
export async function readResponse(store: Store, exchange: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let after: string | undefined, more = true; more; ) {
    const page: Page<EntryRecord> = await store.entries('exchange', { of: exchange, ...(after && { after }) });
    for (const { order, data } of page.items) if (order.startsWith('response.')) pieces.push(unpackBytes(data) ?? NONE);
    after = page.next;
    more = after !== undefined;
  }
  return new Uint8Array(Buffer.concat(pieces));
}

/** Undefined when the request had no body, or it was not kept. */
export async function readRequestBody(store: Store, exchange: string): Promise<Uint8Array | undefined> {
  return unpackBytes((await store.entry('exchange', requestPartId(exchange)))?.data);
}

const NONE = new Uint8Array();
