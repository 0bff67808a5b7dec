import { isObject } from '../../json/index.ts';
import { count, type Usage } from '../reply.ts';

/**
 * The API counts cached and newly cached tokens into the input, and reasoning into the output. Its caches live for
 * half an hour; what is written to them goes to the bucket of the short-lived.
 */
export function usageOf(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const cacheRead = count(value.input_tokens_details, 'cached_tokens');
  const cacheWrite5m = count(value.input_tokens_details, 'cache_write_tokens');
  const reasoning = count(value.output_tokens_details, 'reasoning_tokens');
  return {
    input: Math.max(0, count(value, 'input_tokens') - cacheRead - cacheWrite5m),
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: Math.max(0, count(value, 'output_tokens') - reasoning),
    reasoning,
    native,
  };
}
