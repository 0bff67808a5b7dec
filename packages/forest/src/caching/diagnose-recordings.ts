import { createHash } from 'node:crypto';
import type { CostLookup } from '@skein/core';
import type { CachedRequest } from './compare-requests.ts';
import {
  type CacheDiagnosis,
  diagnose,
  type EarlierFacts,
  type EarlierRequest,
  type RequestFacts,
} from './diagnosis.ts';
import { createRecentMap, type RecordedRequest, readRequests, type TrafficSource } from './recorded-traffic.ts';

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

/**
 * Explains for each recorded request, in order of time, what the provider's prompt cache did for it and why. It reads the
 * recordings as a stream: memory does not grow with their number. A forest in a folder has its index in memory, though, and
 * that grows with what is stored; `openTraffic` reads without it.
 *
 * @example
 * for await (const { cause, tokens } of diagnoseCaching(forest, { costOf })) console.log(cause, tokens.missed);
 */
export async function* diagnoseCaching(source: TrafficSource, scope: CacheScope = {}): AsyncGenerator<CacheDiagnosis> {
  const { thread, exchange, tag, since = 0, costOf } = scope;
  const known = createHistory(PROGRAMS);
  for await (const recorded of readRequests(source, scope)) {
    const { facts, request } = recorded;
    const key = request && headKey(facts, request);
    const earlier = key === undefined ? undefined : await known.find(recorded, key);
    const isUncertain = request && known.isUncertain(recorded, earlier);
    const diagnosis = { ...diagnose(facts, request, earlier, costOf), ...(isUncertain && { isUncertain }) };
    if (request && key !== undefined) known.add(recorded, request, key, earlier);
    const isWanted =
      facts.start >= since &&
      (thread === undefined || facts.thread === thread) &&
      (exchange === undefined || facts.exchange === exchange) &&
      (tag === undefined || facts.tags.includes(tag));
    if (isWanted) yield diagnosis;
    if (facts.exchange === exchange) return;
  }
}

/** The requests that could have served the beginning of a later one. */
interface RequestHistory {
  find(recorded: RecordedRequest, key: string): Promise<EarlierRequest | undefined>;
  add(recorded: RecordedRequest, request: CachedRequest, key: string, earlier: EarlierRequest | undefined): void;
  /** Whether an earlier request that could have served this one may have been forgotten. */
  isUncertain(recorded: RecordedRequest, earlier: EarlierRequest | undefined): boolean;
}

/** How many programs are remembered, and how many characters of requests. */
const PROGRAMS = 5000;
const REMEMBERED_TEXT = 4 * 1024 * 1024;

/** The last request of a program, and how many tokens its tools and system text have, where that is known. */
interface ProgramHistory {
  readonly last: Pick<RecordedRequest, 'again'> & { readonly facts: EarlierFacts };
  readonly tokens: number | undefined;
}

function createHistory(most: number): RequestHistory {
  const programs = createRecentMap<ProgramHistory>(most);
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
    async find({ previous }, key) {
      const program = programs.get(key);
      const same = previous === 'forgotten' ? undefined : previous;
      for (const found of [same, program?.last]) {
        const request = found && (texts.get(found.facts.exchange) ?? (await found.again()));
        if (request) return { facts: found.facts, request, isSameThread: found === same, headTokens: program?.tokens };
      }
      return undefined;
    },
    add({ facts, again, previous }, request, key, earlier) {
      // Whatever the first request of a conversation reads is tools and system text.
      const learnt = earlier?.isSameThread === false && facts.usage ? facts.usage.cacheRead : 0;
      const tokens = learnt > 0 ? learnt : programs.get(key)?.tokens;
      if (typeof previous === 'object') dropText(previous.facts.exchange);
      const { exchange, start, firstByte, provider, model, usage } = facts;
      programs.set(key, { last: { facts: { exchange, start, firstByte, provider, model, usage }, again }, tokens });
      keepText(exchange, request);
    },
    isUncertain: ({ previous }, earlier) => previous === 'forgotten' || (!earlier && programs.hasForgotten()),
  };
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
  const all = JSON.stringify([provider, model, app, names.sort(), system]);
  return createHash('sha1').update(all).digest('base64');
}

const SYSTEM_START = 80;
