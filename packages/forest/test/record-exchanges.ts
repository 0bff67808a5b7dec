/** Exchanges written straight into a store, as if they had been recorded. */
import type { Placement, Store } from '@skein/forest';
import { sha256 } from '../src/model/ids.ts';
import { type EntryRecord, packBytes } from '../src/model/records.ts';
import { type Exchange, exchangeRecord, requestPart, responsePart } from '../src/record/exchange.ts';
import type { Hints } from '../src/record/hints.ts';

export interface Recorded {
  readonly id: string;
  readonly start: number;
  readonly dialect: string;
  readonly kind?: Exchange['kind'];
  readonly request?: string;
  readonly response: string;
  readonly responseId?: string;
  readonly outcome?: Exchange['outcome'];
  /** Default: a millisecond after its start. */
  readonly end?: number;
  readonly hints?: Hints;
  readonly thread?: string;
  readonly retryCount?: number;
}

const bytes = (text: string) => new TextEncoder().encode(text);

export function recordsOf(recorded: Recorded, clock = '000000001.0000.t'): EntryRecord[] {
  const { id, start, dialect, kind = 'generate', request = '', response, responseId, outcome = 'done' } = recorded;
  const { end = start + 1, hints, thread, retryCount } = recorded;
  const exchange: Exchange = {
    id,
    start,
    end,
    method: 'POST',
    host: 'api.example.com',
    path: '/',
    query: '',
    kind,
    provider: 'test',
    dialect,
    issuer: 'test',
    requestHeaders: retryCount === undefined ? {} : { 'x-stainless-retry-count': String(retryCount) },
    requestSha256: sha256(request),
    ...(hints && { hints }),
    ...(thread !== undefined && { thread }),
    status: outcome === 'refused' ? 500 : 200,
    ...(responseId !== undefined && { responseId }),
    outcome,
    tags: [],
    writer: 'test',
  };
  return [
    requestPart(id, packBytes(bytes(request)), clock),
    responsePart(id, 0, packBytes(bytes(response)), clock, start),
    exchangeRecord(exchange, clock),
  ];
}

/** What people see: the nodes that were not moved, threads, and where every exchange landed. */
export async function seen(store: Store) {
  const limit = Number.MAX_SAFE_INTEGER;
  const moved = (await store.refs({ on: 'node', names: ['moved'], limit })).items.filter(
    ({ value }) => typeof value === 'string',
  );
  const hidden = new Set(moved.map(({ key }) => key));
  const nodes = (await store.scan({ limit })).items.filter(({ id }) => !hidden.has(id));
  const ids = nodes.map(({ id }) => id).sort();
  const landed = (await store.refs({ on: 'forest', names: ['landed'], limit })).items;
  const placements = new Map(landed.map(({ key, value }) => [key, value as Placement]));
  // Takes cannot be taken back: one of an exchange that is elsewhere now does not count.
  const takes = (await store.takes(ids)).filter(({ author, node, exchange, extra, thread }) => {
    const landing = placements.get(String(extra?.broughtBy ?? exchange));
    const { node: reply = '', alternatives = [] } = landing ?? {};
    return author === 'model' && landing?.thread === thread && [reply, ...alternatives].includes(node);
  });
  const threads = (await store.refs({ on: 'thread', limit })).items;
  const merged = new Set(
    threads.filter(({ name, value }) => name === 'deleted' && value === true).map(({ key }) => key),
  );
  return {
    nodes: ids,
    takes: takes.map(({ node, exchange }) => `${node} ${exchange}`).sort(),
    threads: threads
      .filter(({ key, name, value }) => !merged.has(key) && value !== false && name !== 'title')
      .map(({ key, name, value }) => `${key} ${name} ${value}`)
      .sort(),
    landed: Object.fromEntries(landed.map(({ key, value }) => [key, value])),
    redirects: moved.map(({ key, value }) => [key, value as string] as const),
  };
}
