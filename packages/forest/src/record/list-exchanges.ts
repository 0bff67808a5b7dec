import type { Page } from '../store/index.ts';
import {
  EXCHANGES,
  type Exchange,
  type Outcome,
  readExchangeRecord,
  readRequestBody,
  readResponse,
  readTexts,
  startOrder,
} from './exchange.ts';
import { finalOutcome, type Placement, readPlacement } from './placement.ts';
import { PLACEMENT_REF } from './projection/placement-refs.ts';
import type { RecordingForest } from './recorder.ts';

/** Which exchanges `listExchanges` returns. */
export interface ExchangeFilters {
  readonly provider?: string;
  /** A status such as 404, or a class such as `4xx`. */
  readonly status?: number | StatusClass;
  readonly outcome?: Outcome;
  readonly tag?: string;
  /** Start times from `since` up to, but not including, `until`, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly after?: string;
  /** Default 100. */
  readonly limit?: number;
  /** The order of start times; default `oldest`. */
  readonly order?: 'oldest' | 'newest';
}

/** A class of HTTP statuses. */
export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** An exchange with its placement; `landing` is absent until the projection has read the exchange. */
export interface ListedExchange extends Exchange {
  readonly landing?: Placement;
}

const FETCH = 200;

/**
 * Lists exchanges, page by page. `outcome` takes into account what the response itself reports.
 *
 * @example
 * const { items } = await listExchanges(forest, { outcome: 'cut', order: 'newest', limit: 20 });
 */
export async function listExchanges(
  { store }: RecordingForest,
  filters: ExchangeFilters = {},
): Promise<Page<ListedExchange>> {
  const { after, since = 0, until = Number.POSITIVE_INFINITY, limit = 100, order = 'oldest' } = filters;
  const begin = order === 'oldest' ? filters.since : filters.until;
  let place = after ?? (begin === undefined ? undefined : startOrder(begin));
  const items: ListedExchange[] = [];
  for (;;) {
    const page = await store.entries('exchange', {
      of: EXCHANGES,
      limit: FETCH,
      order,
      ...(place !== undefined && { afterOrder: place }),
    });
    const keys = page.items.map(({ id }) => id);
    const refs =
      keys.length === 0
        ? []
        : (await store.refs({ on: 'forest', keys, names: [PLACEMENT_REF], limit: keys.length })).items;
    const placements = new Map(refs.map(({ key, value }) => [key, readPlacement(value)]));
    for (const entry of page.items) {
      const exchange = readExchangeRecord(entry);
      const isPast = exchange && (order === 'oldest' ? exchange.start >= until : exchange.start < since);
      if (isPast) return { items };
      const landing = placements.get(entry.id);
      const listed = exchange && { ...exchange, outcome: finalOutcome(exchange, landing), ...(landing && { landing }) };
      if (listed && isWanted(listed, filters)) {
        if (items.length >= Math.max(1, limit)) return { items, next: place! };
        items.push(listed);
      }
      place = entry.order;
    }
    if (page.next === undefined) return { items };
  }
}

/** An exchange with its exact bytes. */
export interface RecordedExchange {
  readonly exchange: ListedExchange;
  readonly request: Uint8Array | undefined;
  readonly response: Uint8Array;
  /** What a gateway sent to the provider and got back, as texts. */
  readonly upstream?: { readonly request: string; readonly response: string };
}

/**
 * Reads one exchange with its exact bytes; undefined if there is no such exchange.
 *
 * @example
 * const recorded = await readRecorded(forest, id);
 * console.log(new TextDecoder().decode(recorded?.response));
 */
export async function readRecorded({ store }: RecordingForest, id: string): Promise<RecordedExchange | undefined> {
  const entry = await store.entry('exchange', id);
  const exchange = entry && readExchangeRecord(entry);
  if (!exchange) return undefined;
  const { items } = await store.refs({ on: 'forest', keys: [id], names: [PLACEMENT_REF] });
  const landing = readPlacement(items[0]?.value);
  const listed = { ...exchange, outcome: finalOutcome(exchange, landing), ...(landing && { landing }) };
  const { upstream } = exchange.upstream ? await readTexts(store, exchange) : {};
  return {
    exchange: listed,
    request: await readRequestBody(store, id),
    response: await readResponse(store, id),
    ...(upstream && { upstream: { ...upstream, response: Buffer.from(upstream.response).toString() } }),
  };
}

function isWanted(exchange: ListedExchange, { provider, status, outcome, tag }: ExchangeFilters): boolean {
  return (
    (provider === undefined || exchange.provider === provider) &&
    (status === undefined || exchange.status === status || statusClass(exchange.status) === status) &&
    (outcome === undefined || exchange.outcome === outcome) &&
    (tag === undefined || exchange.tags.includes(tag))
  );
}

function statusClass(status: number | undefined): string | undefined {
  return status === undefined ? undefined : `${Math.floor(status / 100)}xx`;
}
