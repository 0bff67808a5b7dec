import { dialect, type Usage } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { type Exchange, readExchangeRecord, readSentText } from '../record/exchange.ts';
import { type ListedExchange, listExchanges } from '../record/index.ts';
import type { RecordingForest } from '../record/recorder.ts';
import { type CachedRequest, readCachedRequest } from './compare-requests.ts';
import type { RequestFacts } from './diagnosis.ts';

/** A recorded request with what a prompt cache compares of it. */
export interface RecordedRequest {
  readonly facts: RequestFacts;
  readonly request: CachedRequest | undefined;
  /** Reads the request again, for those who do not keep it. */
  again(): Promise<CachedRequest | undefined>;
  /** The one before it in its conversation; `forgotten` if there may be one that the source no longer remembers. */
  readonly previous: EarlierRecorded | 'forgotten' | undefined;
}

/** An earlier request without its text. */
export type EarlierRecorded = Pick<RecordedRequest, 'facts' | 'again'>;

/** The start times of requests, from `since` up to, but not including, `until`, in milliseconds. */
export interface TrafficPeriod {
  readonly since?: number;
  readonly until?: number;
}

/** Recorded requests to models, in order of time. */
export interface RecordedTraffic {
  requests(period: TrafficPeriod): AsyncGenerator<RecordedRequest>;
}

/** Where recorded requests come from. */
export type TrafficSource = RecordingForest | RecordedTraffic;

/** The longest time that a cache of any provider keeps an entry. */
const LONGEST_LIFETIME = 24 * 60 * 60_000;

/** The recorded requests to models in order of time, beginning with those that could have served the first wanted one. */
export function readRequests(source: TrafficSource, { since, until }: TrafficPeriod): AsyncGenerator<RecordedRequest> {
  const begin = since === undefined ? undefined : Math.max(0, since - LONGEST_LIFETIME);
  const traffic = 'requests' in source ? source : readForest(source);
  return traffic.requests({ ...(begin !== undefined && { since: begin }), ...(until !== undefined && { until }) });
}

/** What is read of a recorded exchange, its placement, and what the response reported. */
export type TrafficFacts = Pick<
  ListedExchange,
  'id' | 'start' | 'firstByte' | 'provider' | 'host' | 'model' | 'dialect' | 'tags' | 'gateway' | 'requestHeaders'
> & {
  readonly upstream?: Pick<NonNullable<Exchange['upstream']>, 'provider' | 'model' | 'dialect' | 'attempt'>;
  readonly thread?: string | undefined;
  readonly node?: string | undefined;
};

/** Whether a model was asked, and something came of it. */
export function isAnswered({ kind, outcome }: Pick<Exchange, 'kind' | 'outcome'>): boolean {
  return kind === 'generate' && outcome !== 'refused' && outcome !== 'open';
}

export function toFacts(facts: TrafficFacts, usage: Usage | undefined): RequestFacts {
  const { id, start, firstByte, upstream, thread, node, tags } = facts;
  return {
    ...{ exchange: id, thread, node, start, firstByte, tags, usage, app: appName(facts) },
    provider: upstream?.provider ?? facts.provider ?? facts.host,
    model: upstream?.model ?? facts.model ?? '',
  };
}

/** Who asked: the name of a gateway's token, or the program that the client names itself by. */
function appName({ gateway, requestHeaders, host }: TrafficFacts): string {
  return gateway?.token ?? requestHeaders['user-agent']?.split(/[/\s(]/)[0] ?? host;
}

export function toRequest(
  { upstream, dialect: own, requestHeaders }: Pick<TrafficFacts, 'upstream' | 'dialect' | 'requestHeaders'>,
  text: string | undefined,
): CachedRequest | undefined {
  const id = upstream?.dialect ?? own;
  if (text === undefined || id === undefined) return undefined;
  return readCachedRequest(text, requestHeaders, serving(dialect(id)).kept?.anchors);
}

/** One less than a list of exchanges reads at a time: it looks at one more, to know whether there are more. */
const PAGE = 199;
/** How many bodies are read at the same time. */
const AT_ONCE = 16;
/** How many conversations are remembered by their last requests. */
const REMEMBERED = 5000;

/** The recorded requests of an open forest, page by page through its store. */
export function readForest(forest: RecordingForest, { remembered = REMEMBERED } = {}): RecordedTraffic {
  const readAgain = async (id: string) => {
    const entry = await forest.store.entry('exchange', id);
    const exchange = entry && readExchangeRecord(entry);
    return exchange && toRequest(exchange, await readSentText(forest.store, exchange));
  };
  return {
    async *requests(period) {
      const threads = createRecentMap<EarlierRecorded>(remembered);
      for (let after: string | undefined; ; ) {
        const page = await listExchanges(forest, { ...period, limit: PAGE, ...(after !== undefined && { after }) });
        const asked = page.items.filter(isAnswered);
        const nodes = asked.flatMap(({ landing }) => (landing?.node === undefined ? [] : [landing.node]));
        const takes = nodes.length === 0 ? [] : await forest.store.takes(nodes);
        const usages = new Map(takes.map((take) => [take.exchange, take.usage]));
        for (let at = 0; at < asked.length; at += AT_ONCE) {
          const some = asked.slice(at, at + AT_ONCE);
          const texts = await Promise.all(some.map((one) => readSentText(forest.store, one)));
          for (const [index, { landing, ...one }] of some.entries()) {
            const { id } = one;
            const { thread, node } = landing ?? {};
            const facts = toFacts({ ...one, thread, node }, usages.get(id));
            const request = toRequest(one, texts[index]);
            const again = () => readAgain(id);
            const known = thread === undefined ? undefined : threads.get(thread);
            const isForgotten = threads.hasForgotten() && thread !== undefined && request && goesOn(request);
            if (request && thread !== undefined) threads.set(thread, { facts, again });
            yield { facts, request, again, previous: known ?? (isForgotten ? 'forgotten' : undefined) };
          }
        }
        if (page.next === undefined) return;
        after = page.next;
      }
    },
  };
}

/** Whether a request continues a conversation: it has more than the first message, or the API keeps the others. */
function goesOn({ elements, isKept }: CachedRequest): boolean {
  return isKept || elements.filter(({ part }) => part === 'messages').length > 1;
}

/** A map that holds what was set last. */
export interface RecentMap<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  /** Whether it ever left out an entry. */
  hasForgotten(): boolean;
}

export function createRecentMap<T>(most: number): RecentMap<T> {
  const entries = new Map<string, T>();
  let hasForgotten = false;
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= most) return;
      entries.delete(entries.keys().next().value!);
      hasForgotten = true;
    },
    hasForgotten: () => hasForgotten,
  };
}
