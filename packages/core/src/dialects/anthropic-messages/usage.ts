import { isObject, type JsonObject } from '../../json/index.ts';
import type { Usage } from '../reply.ts';

/**
 * `input_tokens` leaves out what was read from or written to the cache. The top level also leaves out compaction,
 * which the same model did (recorded); what an advisor model did stays in `native` alone, because it has other prices.
 */
export function usageOf(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const iterations = Array.isArray(value.iterations) ? value.iterations : [];
  const all = [value, ...iterations.filter((item) => isObject(item) && item.type === 'compaction')].map(bucketsOf);
  const sum = (pick: (buckets: Buckets) => number): number => all.reduce((total, each) => total + pick(each), 0);
  return {
    input: sum((each) => each.input),
    cacheRead: sum((each) => each.cacheRead),
    cacheWrite5m: sum((each) => each.cacheWrite5m),
    cacheWrite1h: sum((each) => each.cacheWrite1h),
    output: sum((each) => each.output),
    reasoning: sum((each) => each.reasoning),
    native,
  };
}

type Buckets = Omit<Usage, 'native'>;

function bucketsOf(value: JsonObject): Buckets {
  const created = isObject(value.cache_creation) ? value.cache_creation : {};
  const cacheWrite1h = count(created.ephemeral_1h_input_tokens);
  // The total is sent again at the end of a stream, its parts are not.
  const written = Math.max(
    count(value.cache_creation_input_tokens),
    cacheWrite1h + count(created.ephemeral_5m_input_tokens),
  );
  const output = count(value.output_tokens);
  const details = isObject(value.output_tokens_details) ? value.output_tokens_details : {};
  const reasoning = Math.min(count(details.thinking_tokens), output);
  return {
    input: count(value.input_tokens),
    cacheRead: count(value.cache_read_input_tokens),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: output - reasoning,
    reasoning,
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
