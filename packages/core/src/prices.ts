/** List prices and context limits. They are not in the main entry because the data is large. */
import { calcPrice, findProvider, type ModelPrice } from '@pydantic/genai-prices';
import type { Usage } from './dialects/reply.ts';
import { type ModelInfo, modelInfo } from './providers/model-info.ts';
import { provider, providers } from './providers/registry.ts';

type Bucket = Exclude<keyof Usage, 'native'>;

/** A cost in US dollars, in all and by bucket; or no figure, and the reason. */
export type Cost =
  | { readonly total: number; readonly buckets: Readonly<Record<Bucket, number>> }
  | { readonly total: undefined; readonly reason: string };

/** The prices that may apply to a bucket, first match first. Without a listed price, the cost is unknown. */
const PRICE_NAMES: Readonly<Record<Bucket, readonly string[]>> = {
  input: ['input_mtok'],
  cacheRead: ['cache_read_mtok'],
  cacheWrite5m: ['cache_write_mtok'],
  cacheWrite1h: ['cache_write_1h_mtok'],
  output: ['output_mtok'],
  // Thoughts are billed as output unless they have a price of their own.
  reasoning: ['output_reasoning_mtok', 'output_mtok'],
};

/** Audio has its own price, but `Usage` has no bucket for it, and the list does not always have the price. */
const AUDIO = /"audio_?tokens(?:_?count)?"\s*:\s*[1-9]|"modality"\s*:\s*"AUDIO"/i;

/**
 * The cost of tokens at a provider's list price, now or `at` that time. Searches and other services are billed on top and
 * are not counted. The result is never a guess: without a listed price there is no figure.
 *
 * @example
 * const { total } = costOf(step.usage, 'anthropic', 'claude-sonnet-5');
 * await run({ model, messages, costOf, limits: { cost: 0.5 } }).result;
 */
export function costOf(usage: Usage, provider: string, model: string, at?: Date): Cost {
  const entry = findEntry(provider, model, at);
  if (!entry) {
    const whom = isListed(provider) ? `${provider}/${model}` : provider;
    return { total: undefined, reason: `the price list does not have ${whom}` };
  }
  const { prices } = entry;
  if (AUDIO.test(usage.native))
    return { total: undefined, reason: 'sound has its own price, and the usage does not tell it from text' };
  // Dearer rates for long prompts apply to the whole request.
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h;
  const buckets: Partial<Record<Bucket, number>> = {};
  let total = 0;
  for (const bucket of Object.keys(PRICE_NAMES) as Bucket[]) {
    const tokens = usage[bucket];
    const rate = tokens === 0 ? 0 : findRate(prices, PRICE_NAMES[bucket], prompt);
    if (rate === undefined)
      return { total: undefined, reason: `${provider}/${model} has no listed price for ${bucket}` };
    buckets[bucket] = (tokens * rate) / 1e6;
    total += buckets[bucket];
  }
  return { total, buckets: buckets as Record<Bucket, number> };
}

function findRate(prices: ModelPrice, names: readonly string[], prompt: number): number | undefined {
  const price = names.map((name) => prices[name]).find((listed) => listed !== undefined);
  if (price === undefined || typeof price === 'number') return price;
  const tiers = price.tiers.filter(({ start }) => prompt > start).sort((a, b) => b.start - a.start);
  return tiers[0]?.price ?? price.base;
}

interface PriceEntry {
  readonly prices: ModelPrice;
  readonly contextTokens: number | undefined;
}

/** The entry that was asked for last. Sums over recorded requests ask several times for each, in order of time. */
let lastEntry: { readonly key: string; readonly entry: PriceEntry | undefined } | undefined;

function findEntry(providerId: string, model: string, at: Date | undefined): PriceEntry | undefined {
  if (at === undefined) return searchEntry(providerId, model, at);
  // Prices change at a second of the day at most.
  const key = `${Math.floor(at.getTime() / 1000)} ${providerId} ${model}`;
  if (lastEntry?.key !== key) lastEntry = { key, entry: searchEntry(providerId, model, at) };
  return lastEntry.entry;
}

/** A model in the list of this provider. The price of another provider for the same model would be a guess. */
function searchEntry(providerId: string, model: string, at: Date | undefined): PriceEntry | undefined {
  const listed = findList(providerId);
  if (!listed) return undefined;
  const found = calcPrice({}, model, { provider: listed, ...(at && { timestamp: at }) });
  if (!found) return undefined;
  return { prices: found.model_price, contextTokens: found.model.context_window };
}

/** Whether the list has this provider at all. */
function isListed(providerId: string): boolean {
  return findList(providerId) !== undefined;
}

/**
 * The ids of the models that the price list has of a provider.
 *
 * @example
 * listedModels('anthropic').includes('claude-sonnet-5');
 */
export function listedModels(providerId: string): readonly string[] {
  // Some entries are the beginnings of names, for all models that begin so.
  return findList(providerId)?.models.flatMap(({ id }) => (id.endsWith('-') ? [] : [id])) ?? [];
}

/**
 * The context sizes that the price list has of a provider's models, by their ids.
 *
 * @example
 * listedContexts('anthropic').get('claude-sonnet-5'); // 1000000
 */
export function listedContexts(providerId: string): ReadonlyMap<string, number> {
  const models = findList(providerId)?.models ?? [];
  return new Map(models.flatMap(({ id, context_window: size }) => (size === undefined ? [] : [[id, size] as const])));
}

/**
 * What core knows of a model, with the context size from the price list; if that has none, the size of its family.
 *
 * @example
 * const { contextTokens } = modelInfoWithLimits('anthropic', 'claude-sonnet-5');
 */
export function modelInfoWithLimits(providerId: string, model: string): ModelInfo {
  const info = modelInfo(provider(providerId), model);
  const contextTokens = findEntry(providerId, model, undefined)?.contextTokens;
  return contextTokens === undefined ? info : { ...info, known: true, contextTokens };
}

/** The price list of a provider, which may have another name there. The library would also take a name that only contains it. */
function findList(id: string) {
  const known = providers().find((one) => one.id === id || one.aliases?.includes(id));
  const name = known?.names?.prices ?? known?.id ?? id;
  const list = findProvider({ providerId: name });
  return list?.id === name ? list : undefined;
}
