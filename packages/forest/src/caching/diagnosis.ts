import type { CostLookup, Usage } from '@skein/core';
import { type CacheRules, cacheRules } from './cache-rules.ts';
import { type CachedRequest, countBlocks, findDifference, type RequestDifference } from './compare-requests.ts';

/** A recorded request, as far as its caching is concerned. */
export interface RequestFacts {
  readonly exchange: string;
  readonly thread: string | undefined;
  /** The reply. */
  readonly node: string | undefined;
  readonly start: number;
  /** When the response began; before that, its prefix is not in the cache. */
  readonly firstByte: number | undefined;
  readonly provider: string;
  readonly model: string;
  readonly app: string;
  readonly tags: readonly string[];
  readonly usage: Usage | undefined;
}

/** A request that could have served the beginning of another one. */
export interface EarlierRequest {
  readonly facts: EarlierFacts;
  readonly request: CachedRequest;
  /** It is of the same conversation; otherwise only tools and system text can be shared. */
  readonly isSameThread: boolean;
  /** How many tokens tools and system text have, where an earlier read told. */
  readonly headTokens: number | undefined;
}

/** What is remembered of a request, in as little memory as possible: there may be thousands. */
export type EarlierFacts = Pick<RequestFacts, 'exchange' | 'start' | 'firstByte' | 'provider' | 'model' | 'usage'>;

/**
 * Why a request was or was not served from the cache. `hit`: what could be read was read; `first`: nothing before it could
 * serve it; `changed`, `reordered`, `respelled`, `volatile`: its beginning differs; `model`, `setting`, `header`: something else
 * that the cache is bound to differs; `expired`: the lifetime was over; `too-soon`: the earlier response had not begun;
 * `too-short`: below the provider's minimum; `no-marker`, `far-marker`: no cache marker, or one too far behind the cached part;
 * `moved-marker`: all markers are in front of the end of the cached part; `not-cached`: the provider is not known to cache; `provider`: nothing differs, so the provider did not keep it; `no-usage`: the
 * response reports none.
 */
export type CacheCause =
  | 'hit'
  | 'first'
  | 'changed'
  | 'reordered'
  | 'respelled'
  | 'volatile'
  | 'model'
  | 'setting'
  | 'header'
  | 'expired'
  | 'too-soon'
  | 'too-short'
  | 'no-marker'
  | 'far-marker'
  | 'moved-marker'
  | 'not-cached'
  | 'provider'
  | 'no-usage';

/** What the cache did for one request, and why. */
export interface CacheDiagnosis extends Omit<RequestFacts, 'usage' | 'firstByte'> {
  readonly cause: CacheCause;
  /** The exchange that it is compared with. */
  readonly against?: string;
  readonly difference?: RequestDifference;
  /** The setting or header that differs. */
  readonly name?: string;
  /** Milliseconds since the request that it is compared with, and how long the cache keeps it. */
  readonly idle?: { readonly since: number; readonly lifetime: number };
  readonly tokens: CacheTokens;
  /** US dollars; absent if the price is not known. */
  readonly cost?: CacheCost;
  /** An earlier request that could have served it may have been forgotten: too many others were between. */
  readonly isUncertain?: true;
}

/** Tokens of the prompt of a request. */
export interface CacheTokens {
  readonly prompt: number;
  readonly read: number;
  readonly written: number;
  /** Those that an unchanged request would have read, and this one did not. */
  readonly missed: number;
  /** Whether `missed` is an estimate by the length of the texts. */
  readonly isEstimate: boolean;
}

/** What a request cost, what of that is due to a miss, and what reading from the cache saved. */
export interface CacheCost {
  readonly paid: number;
  readonly missed: number;
  readonly saved: number;
}

/** Explains one request by the one that could have served its beginning. It depends on its arguments alone. */
export function diagnose(
  facts: RequestFacts,
  request: CachedRequest | undefined,
  earlier: EarlierRequest | undefined,
  costOf?: CostLookup,
): CacheDiagnosis {
  const { usage, firstByte: _, ...known } = facts;
  const rules = cacheRules(facts.provider, facts.model);
  const prompt = usage ? promptTokens(usage) : 0;
  const read = usage?.cacheRead ?? 0;
  const expected = usage && request && earlier ? expectedRead(rules, prompt, request, earlier) : NOTHING;
  const missed = Math.max(0, Math.min(expected.tokens, prompt) - read);
  const isHit = missed <= (rules.kind === 'automatic' ? Math.max(rules.increment, expected.tokens * TOLERANCE) : 0);
  const tokens: CacheTokens = {
    prompt,
    read,
    written: (usage?.cacheWrite5m ?? 0) + (usage?.cacheWrite1h ?? 0),
    missed: isHit ? 0 : missed,
    isEstimate: expected.isEstimate,
  };
  const reason =
    usage === undefined || request === undefined
      ? { cause: 'no-usage' as const }
      : !isHit && earlier
        ? explainMiss(facts, request, earlier, rules)
        : { cause: causeWithoutMiss(rules, request, prompt, read) };
  const cost = usage && costOf && priceMiss(facts, usage, tokens.missed, costOf);
  return {
    ...known,
    ...reason,
    ...(earlier && reason.cause !== 'no-usage' && { against: earlier.facts.exchange }),
    tokens,
    ...(cost && { cost }),
  };
}

/** Automatic caches are read in units, and now and then one unit less. */
const TOLERANCE = 0.05;
const NOTHING = { tokens: 0, isEstimate: false };

export function promptTokens({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Usage): number {
  return input + cacheRead + cacheWrite5m + cacheWrite1h;
}

/** How many tokens the request would have read if it had repeated the beginning of the earlier one. */
function expectedRead(
  rules: CacheRules,
  prompt: number,
  request: CachedRequest,
  { facts: { usage }, isSameThread, headTokens }: EarlierRequest,
): { readonly tokens: number; readonly isEstimate: boolean } {
  if (!usage || rules.kind === 'none') return NOTHING;
  const cached = usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  const held = Math.max(cached, automaticRead(rules, usage));
  if (held === 0) return NOTHING;
  if (isSameThread) return { tokens: held, isEstimate: false };
  if (headTokens !== undefined) return { tokens: Math.min(headTokens, held), isEstimate: false };
  const tokens = Math.min(held, Math.floor(prompt * headShare(request)));
  return tokens < rules.minimum ? NOTHING : { tokens, isEstimate: true };
}

/** What an automatic cache holds of a request; 0 for a marked one, which holds what was written. */
function automaticRead({ kind, increment, minimum }: CacheRules, usage: Usage): number {
  if (kind !== 'automatic') return 0;
  const tokens = Math.floor(promptTokens(usage) / increment) * increment;
  return tokens < minimum ? 0 : tokens;
}

/** The share of tools and system text in the characters of a request. */
function headShare({ elements }: CachedRequest): number {
  let [head, all] = [0, 0];
  for (const { part, text } of elements) {
    all += text.length;
    if (part !== 'messages') head += text.length;
  }
  return all === 0 ? 0 : head / all;
}

function causeWithoutMiss(rules: CacheRules, { elements }: CachedRequest, prompt: number, read: number): CacheCause {
  if (read > 0) return 'hit';
  if (rules.kind === 'none') return 'not-cached';
  if (prompt < rules.minimum) return 'too-short';
  const isMarked = elements.some(({ marker }) => marker !== undefined);
  return rules.kind === 'marked' && !isMarked ? 'no-marker' : 'first';
}

type Reason = Pick<CacheDiagnosis, 'cause' | 'difference' | 'name' | 'idle'>;

function explainMiss(facts: RequestFacts, request: CachedRequest, earlier: EarlierRequest, rules: CacheRules): Reason {
  const { facts: before, request: previous, isSameThread } = earlier;
  if (before.provider !== facts.provider || before.model !== facts.model)
    return { cause: 'model', name: `${before.provider}/${before.model}` };
  const lifetime = findLifetime(rules, previous);
  const idle = { since: facts.start - before.start, lifetime };
  if (idle.since > lifetime) return { cause: 'expired', idle };
  const isHead = ({ part }: CachedRequest['elements'][number]) => part !== 'messages';
  const marked = previous.elements.findLastIndex(({ marker }) => marker !== undefined);
  const end = rules.kind === 'marked' ? marked + 1 : previous.elements.length;
  const limit = isSameThread && !request.isKept ? end : Math.min(end, previous.elements.filter(isHead).length);
  const difference = findDifference(previous, request, limit);
  if (difference) {
    const { kind } = difference;
    return { cause: kind === 'added' || kind === 'removed' ? 'changed' : kind, difference };
  }
  const setting = rules.bound.find((name) => previous.members.get(name) !== request.members.get(name));
  if (setting !== undefined) return { cause: 'setting', name: setting };
  const header = rules.boundHeaders.find((name) => previous.headers[name] !== request.headers[name]);
  if (header !== undefined) return { cause: 'header', name: header };
  if (before.firstByte === undefined || facts.start < before.firstByte) return { cause: 'too-soon', idle };
  if (rules.kind === 'marked') {
    const next = request.elements.findIndex(({ marker }, at) => marker !== undefined && at >= limit - 1);
    if (!request.elements.some(({ marker }) => marker !== undefined)) return { cause: 'no-marker' };
    if (next < 0) return { cause: 'moved-marker' };
    const distance = sum(request.elements.slice(limit, next + 1).map(countBlocks));
    if (rules.lookback !== undefined && distance > rules.lookback) return { cause: 'far-marker' };
  }
  return { cause: 'provider', idle };
}

function findLifetime({ lifetime, longer }: CacheRules, { elements, members }: CachedRequest): number {
  if (!longer) return lifetime;
  const asks = (text: string | undefined) => text !== undefined && longer.asks.test(text);
  const isLonger =
    elements.some(({ marker }) => asks(marker)) || [...members].some(([name, text]) => asks(`"${name}":${text}`));
  return isLonger ? longer.lifetime : lifetime;
}

function priceMiss(
  { provider, model, start }: RequestFacts,
  usage: Usage,
  missed: number,
  costOf: CostLookup,
): CacheCost | undefined {
  const price = (one: Usage) => costOf(one, provider, model, new Date(start)).total;
  const paid = price(usage);
  if (paid === undefined) return undefined;
  const ideal = price(moveToRead(usage, missed));
  const uncached = price({ ...usage, input: promptTokens(usage), cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 });
  return { paid, missed: ideal === undefined ? 0 : paid - ideal, saved: uncached === undefined ? 0 : uncached - paid };
}

/** The usage if so many more tokens had been read: those that were written first, then those that were not cached. */
function moveToRead(usage: Usage, tokens: number): Usage {
  const short = Math.min(tokens, usage.cacheWrite5m);
  const long = Math.min(tokens - short, usage.cacheWrite1h);
  return {
    ...usage,
    input: usage.input - (tokens - short - long),
    cacheRead: usage.cacheRead + tokens,
    cacheWrite5m: usage.cacheWrite5m - short,
    cacheWrite1h: usage.cacheWrite1h - long,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
