import { count, type Usage } from '../reply.ts';
import { field } from './fields.ts';

/** The prompt includes what was cached; what server-side tools brought in comes on top; thoughts are not in the output. */
export function usageOf(value: unknown, native: string): Usage {
  const tokens = (name: string): number => count(field(value, `${name}TokenCount`));
  const cacheRead = tokens('cachedContent');
  return {
    input: Math.max(0, tokens('prompt') - cacheRead) + tokens('toolUsePrompt'),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: tokens('candidates'),
    reasoning: tokens('thoughts'),
    native,
  };
}
