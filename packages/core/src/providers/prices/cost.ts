import type { ModelPrice } from '@pydantic/genai-prices';
import type { Usage } from '../../dialects/reply.ts';
import { entryOf, isListed } from './catalogue.ts';

type Bucket = Exclude<keyof Usage, 'native'>;

/** US dollars in all and by bucket; or no figure, and why. */
export type Cost =
  | { readonly total: number; readonly buckets: Readonly<Record<Bucket, number>> }
  | { readonly total: undefined; readonly reason: string };

/** The prices that may apply to a bucket, first match first. Where none is listed, nobody knows. */
const PRICE_OF: Readonly<Record<Bucket, readonly string[]>> = {
  input: ['input_mtok'],
  cacheRead: ['cache_read_mtok'],
  cacheWrite5m: ['cache_write_mtok'],
  cacheWrite1h: ['cache_write_1h_mtok'],
  output: ['output_mtok'],
  // Thoughts are billed as output unless they have a price of their own.
  reasoning: ['output_reasoning_mtok', 'output_mtok'],
};

/** Sound has its own price, usage has no bucket for it, and the list does not always have it. */
const AUDIO = /"audio_?tokens(?:_?count)?"\s*:\s*[1-9]|"modality"\s*:\s*"AUDIO"/i;

/**
 * What these tokens cost at a provider's list price, now or `at` that time. Tokens only: searches and other services
 * are billed on top. Never a guess: without a listed price there is no figure.
 */
export function costOf(usage: Usage, provider: string, model: string, at?: Date): Cost {
  const entry = entryOf(provider, model, at);
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
  for (const bucket of Object.keys(PRICE_OF) as Bucket[]) {
    const tokens = usage[bucket];
    const rate = tokens === 0 ? 0 : rateOf(prices, PRICE_OF[bucket], prompt);
    if (rate === undefined)
      return { total: undefined, reason: `${provider}/${model} has no listed price for ${bucket}` };
    buckets[bucket] = (tokens * rate) / 1e6;
    total += buckets[bucket];
  }
  return { total, buckets: buckets as Record<Bucket, number> };
}

function rateOf(prices: ModelPrice, names: readonly string[], prompt: number): number | undefined {
  const price = names.map((name) => prices[name]).find((listed) => listed !== undefined);
  if (price === undefined || typeof price === 'number') return price;
  const tiers = price.tiers.filter(({ start }) => prompt > start).sort((a, b) => b.start - a.start);
  return tiers[0]?.price ?? price.base;
}
