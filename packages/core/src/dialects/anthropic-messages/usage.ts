import { isObject, type JsonObject } from '../../json/index.ts';
import { count, type Usage } from '../reply.ts';

/**
 * `input_tokens` leaves out what was read from or written to the cache. The top level also leaves out compaction,
 * which the same model did (recorded); what an advisor model did stays in `native` alone, because it has other prices.
 */
export function usageOf(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const iterations = Array.isArray(value.iterations) ? value.iterations : [];
  const all = [value, ...iterations.filter((item) => isObject(item) && item.type === 'compaction')].map(bucketsOf);
  const sum = (name: keyof Buckets): number => all.reduce((total, each) => total + each[name], 0);
  return {
    input: sum('input'),
    cacheRead: sum('cacheRead'),
    cacheWrite5m: sum('cacheWrite5m'),
    cacheWrite1h: sum('cacheWrite1h'),
    output: sum('output'),
    reasoning: sum('reasoning'),
    native,
  };
}

type Buckets = Omit<Usage, 'native'>;

function bucketsOf(value: JsonObject): Buckets {
  const { cache_creation: created, output_tokens_details: details } = value;
  const cacheWrite1h = count(created, 'ephemeral_1h_input_tokens');
  // The total is sent again at the end of a stream, its parts are not.
  const written = Math.max(
    count(value, 'cache_creation_input_tokens'),
    cacheWrite1h + count(created, 'ephemeral_5m_input_tokens'),
  );
  const output = count(value, 'output_tokens');
  const reasoning = Math.min(count(details, 'thinking_tokens'), output);
  return {
    input: count(value, 'input_tokens'),
    cacheRead: count(value, 'cache_read_input_tokens'),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: output - reasoning,
    reasoning,
  };
}
