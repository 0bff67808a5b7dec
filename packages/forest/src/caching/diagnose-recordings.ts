import { type CostLookup, dialect, type Usage } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { type Exchange, readExchangeRecord, readSentText } from '../record/exchange.ts';
import { type ListedExchange, listExchanges } from '../record/index.ts';
import type { RecordingForest } from '../record/recorder.ts';
import { type CachedRequest, readCachedRequest } from './compare-requests.ts';
import { type CacheDiagnosis, diagnose, type EarlierRequest, type RequestFacts } from './diagnosis.ts';

/** Which recorded requests are diagnosed. */
export interface CacheScope {
  /** Only those of this conversation. */
  readonly thread?: string;
  /** Only this one. */
  readonly exchange?: string;
  readonly tag?: string;
  /** Start times from `since` up to, but not including, `until`, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
  /** Prices the tokens. Without it, there are no costs. */
  readonly costOf?: CostLookup;
}

/** A recorded request with what a prompt cache compares of it. */
export interface RecordedRequest {
  readonly facts: RequestFacts;
  readonly request: CachedRequest | undefined;
}

/** One less than a list of exchanges reads at a time: it looks at one more, to know whether there are more. */
const PAGE = 199;
/** How many bodies are read at the same time. */
const AT_ONCE = 16;
/** The longest time that a cache of any provider keeps an entry. */
const LONGEST_LIFETIME = 24 * 60 * 60_000;

/**
 * Explains for each recorded request, in order of time, what the provider's prompt cache did for it and why. It reads the
 * recordings as a stream: memory does not grow with their number.
 *
 * @example
 * for await (const { cause, tokens } of diagnoseCaching(forest, { costOf })) console.log(cause, tokens.missed);
 */
export async function* diagnoseCaching(
  forest: RecordingForest,
  scope: CacheScope = {},
): AsyncGenerator<CacheDiagnosis> {
  const { thread, exchange, tag, since = 0, costOf } = scope;
  const known = createHistory((id) => readAgain(forest, id));
  for await (const { facts, request } of readRequests(forest, scope)) {
    const key = request && headKey(facts, request);
    const earlier = key === undefined ? undefined : await known.find(facts, key);
    const diagnosis = diagnose(facts, request, earlier, costOf);
    if (request && key !== undefined) known.add(facts, request, key, earlier);
    const isWanted =
      facts.start >= since &&
      (thread === undefined || facts.thread === thread) &&
      (exchange === undefined || facts.exchange === exchange) &&
      (tag === undefined || facts.tags.includes(tag));
    if (isWanted) yield diagnosis;
    if (facts.exchange === exchange) return;
  }
}

/** The recorded requests to models in order of time, beginning with those that could have served the first wanted one. */
export async function* readRequests(
  forest: RecordingForest,
  { since, until }: Pick<CacheScope, 'since' | 'until'>,
): AsyncGenerator<RecordedRequest> {
  const begin = since === undefined ? undefined : Math.max(0, since - LONGEST_LIFETIME);
  const period = { ...(begin !== undefined && { since: begin }), ...(until !== undefined && { until }) };
  for (let after: string | undefined; ; ) {
    const page = await listExchanges(forest, { ...period, limit: PAGE, ...(after !== undefined && { after }) });
    const asked = page.items.filter(
      ({ kind, outcome }) => kind === 'generate' && outcome !== 'refused' && outcome !== 'open',
    );
    const nodes = asked.flatMap(({ landing }) => (landing?.node === undefined ? [] : [landing.node]));
    const takes = nodes.length === 0 ? [] : await forest.store.takes(nodes);
    const usages = new Map(takes.map((take) => [take.exchange, take.usage]));
    for (let at = 0; at < asked.length; at += AT_ONCE) {
      const some = asked.slice(at, at + AT_ONCE);
      const texts = await Promise.all(some.map((one) => readSentText(forest.store, one)));
      for (const [index, one] of some.entries())
        yield { facts: toFacts(one, usages.get(one.id)), request: toRequest(one, texts[index]) };
    }
    if (page.next === undefined) return;
    after = page.next;
  }
}

function toFacts(exchange: ListedExchange, usage: Usage | undefined): RequestFacts {
  const { id, start, firstByte, upstream, landing, tags } = exchange;
  return {
    exchange: id,
    thread: landing?.thread,
    node: landing?.node,
    start,
    firstByte,
    provider: upstream?.provider ?? exchange.provider ?? exchange.host,
    model: upstream?.model ?? exchange.model ?? '',
    app: appName(exchange),
    tags,
    usage,
  };
}

/** Who asked: the name of a gateway's token, or the program that the client names itself by. */
function appName({ gateway, requestHeaders, host }: ListedExchange): string {
  return gateway?.token ?? requestHeaders['user-agent']?.split(/[/\s(]/)[0] ?? host;
}

function toRequest(exchange: Exchange, text: string | undefined): CachedRequest | undefined {
  const id = exchange.upstream?.dialect ?? exchange.dialect;
  if (text === undefined || id === undefined) return undefined;
  return readCachedRequest(text, exchange.requestHeaders, serving(dialect(id)).kept?.anchors);
}

async function readAgain(forest: RecordingForest, id: string): Promise<CachedRequest | undefined> {
  const entry = await forest.store.entry('exchange', id);
  const exchange = entry && readExchangeRecord(entry);
  return exchange && toRequest(exchange, await readSentText(forest.store, exchange));
}

/** The requests that could have served the beginning of a later one. */
interface RequestHistory {
  find(facts: RequestFacts, key: string): Promise<EarlierRequest | undefined>;
  add(facts: RequestFacts, request: CachedRequest, key: string, earlier: EarlierRequest | undefined): void;
}

/** How many conversations and programs are remembered, and how many characters of requests. */
const REMEMBERED = 20_000;
const REMEMBERED_TEXT = 8 * 1024 * 1024;

function createHistory(readAgain: (exchange: string) => Promise<CachedRequest | undefined>): RequestHistory {
  const threads = new Map<string, RequestFacts>();
  const heads = new Map<string, { facts: RequestFacts; tokens: number | undefined }>();
  const texts = new Map<string, CachedRequest>();
  let held = 0;

  const keepText = (id: string, request: CachedRequest) => {
    texts.set(id, request);
    held += request.size;
    for (const [oldest, { size }] of texts) {
      if (held <= REMEMBERED_TEXT || oldest === id) break;
      texts.delete(oldest);
      held -= size;
    }
  };
  const dropText = (id: string) => {
    held -= texts.get(id)?.size ?? 0;
    texts.delete(id);
  };

  return {
    async find(facts, key) {
      const same = facts.thread === undefined ? undefined : threads.get(facts.thread);
      const head = heads.get(key);
      const found = same ?? head?.facts;
      if (!found) return undefined;
      const previous = texts.get(found.exchange) ?? (await readAgain(found.exchange));
      return (
        previous && { facts: found, request: previous, isSameThread: same !== undefined, headTokens: head?.tokens }
      );
    },
    add(facts, request, key, earlier) {
      // Whatever the first request of a conversation reads is tools and system text.
      const learnt = earlier?.isSameThread === false && facts.usage ? facts.usage.cacheRead : 0;
      const tokens = learnt > 0 ? learnt : heads.get(key)?.tokens;
      const replaced = facts.thread === undefined ? undefined : threads.get(facts.thread);
      if (replaced) dropText(replaced.exchange);
      remember(heads, key, { facts, tokens });
      if (facts.thread !== undefined) remember(threads, facts.thread, facts);
      keepText(facts.exchange, request);
    },
  };
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > REMEMBERED) map.delete(map.keys().next().value!);
}

/** Requests of one program have the same tools and a system text that begins alike, apart from digits. */
function headKey({ provider, model, app }: RequestFacts, { elements }: CachedRequest): string {
  const names = elements
    .filter(({ part }) => part === 'tools')
    .map(({ text }) => /"name"\s*:\s*"([^"]*)"/.exec(text)?.[1]);
  const system = elements
    .find(({ part }) => part === 'system')
    ?.text.slice(0, SYSTEM_START)
    .replace(/\d/g, '');
  return JSON.stringify([provider, model, app, names.sort(), system]);
}

const SYSTEM_START = 80;
