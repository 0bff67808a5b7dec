import { createHash } from 'node:crypto';
import type { CostLookup, Usage } from '@skein/core';
import type { PrefixElement } from '@skein/core/dialect';
import { type CacheRules, cacheRules } from './cache-rules.ts';
import type { CachedRequest } from './compare-requests.ts';
import type { CacheScope } from './diagnose-recordings.ts';
import { promptTokens } from './diagnosis.ts';
import { type RecordedRequest, readRequests, type TrafficSource } from './recorded-traffic.ts';

/** A way in which the recorded requests could have been sent. */
export interface CacheScenario {
  readonly name: string;
  /** Where markers are: where they were, nowhere, behind the system text, or there and on the last message. */
  readonly markers?: 'recorded' | 'none' | 'system' | 'conversation';
  /** The order of the tools: as recorded, or by name. */
  readonly tools?: 'recorded' | 'sorted';
  /** How long entries are kept, in milliseconds; default: as the provider keeps them. */
  readonly lifetime?: number;
  /** Another model, as `provider/model`. */
  readonly model?: string;
}

const MINUTE = 60_000;

/** The scenarios that have a short name; the first one changes nothing, and is what the others are compared with. */
export const CACHE_SCENARIOS: Readonly<Record<string, CacheScenario>> = {
  recorded: { name: 'as it was sent' },
  'no-markers': { name: 'no markers', markers: 'none' },
  'mark-system': { name: 'a marker behind the system text', markers: 'system' },
  'mark-conversation': { name: 'markers behind system text and last message', markers: 'conversation' },
  'sort-tools': { name: 'tools in the order of their names', tools: 'sorted' },
  '5m': { name: 'kept for 5 minutes', lifetime: 5 * MINUTE },
  '1h': { name: 'kept for an hour', lifetime: 60 * MINUTE },
};

/**
 * The scenario of a short name, or of a model as `provider/model`; undefined for anything else.
 *
 * @example
 * cacheScenario('sort-tools'); // { name: 'tools in the order of their names', tools: 'sorted' }
 */
export function cacheScenario(text: string): CacheScenario | undefined {
  if (Object.hasOwn(CACHE_SCENARIOS, text)) return CACHE_SCENARIOS[text];
  return /^[^/]+\/.+/.test(text) ? { name: `answered by ${text}`, model: text } : undefined;
}

/** What a scenario would have used and cost. */
export interface SimulationResult {
  readonly scenario: string;
  readonly requests: number;
  readonly prompt: number;
  readonly read: number;
  readonly written: number;
  /** US dollars; undefined if a price is not known. */
  readonly cost: number | undefined;
}

/** How many prefixes a simulated cache holds at most; most are forgotten by time, as in a real one. */
const MOST_ENTRIES = 500_000;

/**
 * Sends the recorded requests, in their order and at their times, to simulated caches that follow the rules of their
 * providers, and adds up what each scenario would have used. The tokens of a request are those that were reported, spread
 * over its elements by their length.
 *
 * @example
 * const results = await simulateCaching(forest, [{ name: 'one hour', lifetime: 3_600_000 }], { costOf });
 */
export async function simulateCaching(
  source: TrafficSource,
  scenarios: readonly CacheScenario[],
  scope: Pick<CacheScope, 'since' | 'until' | 'tag' | 'thread' | 'costOf'> = {},
): Promise<readonly SimulationResult[]> {
  const { since = 0, tag, thread, costOf } = scope;
  const runs = scenarios.map((scenario) => createSimulation(scenario, costOf));
  for await (const recorded of readRequests(source, scope)) {
    const { facts } = recorded;
    const isWanted = facts.start >= since && (!tag || facts.tags.includes(tag)) && (!thread || facts.thread === thread);
    for (const run of runs) run.send(recorded, isWanted);
  }
  return runs.map((run) => run.result());
}

interface Simulation {
  send(recorded: RecordedRequest, isCounted: boolean): void;
  result(): SimulationResult;
}

function createSimulation(scenario: CacheScenario, costOf: CostLookup | undefined): Simulation {
  const entries = new Map<string, { at: number; lifetime: number }>();
  const sums = { requests: 0, prompt: 0, read: 0, written: 0 };
  let cost: number | undefined = costOf ? 0 : undefined;
  return {
    send({ facts, request }, isCounted) {
      if (!request || !facts.usage) return;
      const [provider, model] = splitModel(scenario.model) ?? [facts.provider, facts.model];
      const rules = cacheRules(provider, model);
      const elements = arrange(request, scenario);
      const usage = serve(entries, `${provider}/${model}`, elements, facts.usage, facts.start, rules, scenario);
      if (!isCounted) return;
      sums.requests++;
      sums.prompt += promptTokens(usage);
      sums.read += usage.cacheRead;
      sums.written += usage.cacheWrite5m + usage.cacheWrite1h;
      const total = costOf?.(usage, provider, model, new Date(facts.start)).total;
      cost = cost === undefined || total === undefined ? undefined : cost + total;
    },
    result: () => ({ scenario: scenario.name, ...sums, cost }),
  };
}

function splitModel(name: string | undefined): readonly [string, string] | undefined {
  const slash = name?.indexOf('/') ?? -1;
  return slash < 1 ? undefined : [name!.slice(0, slash), name!.slice(slash + 1)];
}

/** The elements in the order and with the markers of a scenario. */
function arrange(
  { elements }: CachedRequest,
  { tools = 'recorded', markers = 'recorded' }: CacheScenario,
): PrefixElement[] {
  const named = (text: string) => /"name"\s*:\s*"([^"]*)"/.exec(text)?.[1] ?? text;
  const all = elements.filter(({ part }) => part === 'tools');
  if (tools === 'sorted') all.sort((a, b) => (named(a.text) < named(b.text) ? -1 : 1));
  const arranged = [...all, ...elements.filter(({ part }) => part !== 'tools')];
  if (markers === 'recorded') return arranged;
  const head = arranged.findLastIndex(({ part }) => part !== 'messages');
  const isMarked = (at: number) =>
    (markers !== 'none' && at === head) || (markers === 'conversation' && at === arranged.length - 1);
  return arranged.map((element, at) => ({ ...element, marker: isMarked(at) ? '{"type":"ephemeral"}' : undefined }));
}

/** What the cache would report for a request; it then holds what the request wrote. */
function serve(
  entries: Map<string, { at: number; lifetime: number }>,
  scope: string,
  elements: readonly PrefixElement[],
  reported: Usage,
  now: number,
  rules: CacheRules,
  scenario: CacheScenario,
): Usage {
  const prompt = promptTokens(reported);
  const plain = { ...reported, input: prompt, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 };
  if (rules.kind === 'none') return plain;
  const length = elements.reduce((sum, { text }) => sum + text.length, 0);
  const asksLonger = elements.some(({ marker }) => marker !== undefined && rules.longer?.asks.test(marker));
  const lifetime = scenario.lifetime ?? (asksLonger ? rules.longer!.lifetime : rules.lifetime);
  const hash = createHash('sha256').update(scope);
  let [characters, read, written] = [0, 0, 0];
  const used: string[] = [];
  const ends = rules.kind === 'marked' ? elements.map(({ marker }) => marker !== undefined) : elements.map(() => true);
  const lastEnd = ends.lastIndexOf(true);
  for (const [at, { text }] of elements.entries()) {
    hash.update(text);
    characters += text.length;
    const tokens = length === 0 ? 0 : Math.floor((prompt * characters) / length);
    const units = Math.floor(tokens / rules.increment) * rules.increment;
    if (at > lastEnd || units < rules.minimum) continue;
    const key = hash.copy().digest('base64').slice(0, 16);
    const entry = entries.get(key);
    if (entry && now - entry.at <= entry.lifetime) {
      read = units;
      used.push(key);
    } else if (ends[at]) {
      written = units;
      used.push(key);
    }
  }
  for (const key of used) {
    entries.delete(key);
    entries.set(key, { at: now, lifetime });
  }
  // The first entry was not used for the longest time.
  for (const [key, entry] of entries) {
    if (now - entry.at <= entry.lifetime && entries.size <= MOST_ENTRIES) break;
    entries.delete(key);
  }
  // Automatic caches report what they read; only some report, and bill, what they write.
  const isBilled = rules.kind === 'marked' || reported.cacheWrite5m + reported.cacheWrite1h > 0;
  const billed = isBilled ? Math.max(0, written - read) : 0;
  const isLong = lifetime > rules.lifetime;
  return {
    ...plain,
    input: prompt - read - billed,
    cacheRead: read,
    cacheWrite5m: isLong ? 0 : billed,
    cacheWrite1h: isLong ? billed : 0,
  };
}
