/** Exchanges written straight into a store, as if they had been recorded. */
import type { EntryRecord, Landing, Store } from '@skein/forest';
import { packBytes } from '../src/model/index.ts';
import { type Exchange, exchangeRecord, requestPart, responsePart } from '../src/record/exchange.ts';

export interface Recorded {
  readonly id: string;
  readonly start: number;
  readonly dialect: string;
  readonly kind?: Exchange['kind'];
  readonly request?: string;
  readonly response: string;
  readonly responseId?: string;
  readonly outcome?: Exchange['outcome'];
}

const bytes = (text: string) => new TextEncoder().encode(text);

export function recordsOf(recorded: Recorded, clock = '000000001.0000.t'): EntryRecord[] {
  const { id, start, dialect, kind = 'generate', request = '', response, responseId, outcome = 'done' } = recorded;
  const exchange: Exchange = {
    id,
    start,
    end: start + 1,
    method: 'POST',
    host: 'api.example.com',
    path: '/',
    query: '',
    kind,
    provider: 'test',
    dialect,
    issuer: 'test',
    requestHeaders: {},
    status: outcome === 'refused' ? 500 : 200,
    ...(responseId !== undefined && { responseId }),
    outcome,
    tags: [],
    writer: 'test',
  };
  return [
    requestPart(id, bytes(request), clock),
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
  const landings = new Map(landed.map(({ key, value }) => [key, value as Landing]));
  // Takes cannot be taken back: one of an exchange that is elsewhere now does not count.
  const takes = (await store.takes(ids)).filter(({ author, node, exchange, extra }) => {
    const { node: reply, alternatives = [] } = landings.get(String(extra?.broughtBy ?? exchange)) ?? { node: '' };
    return author === 'model' && [reply, ...alternatives].includes(node);
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
