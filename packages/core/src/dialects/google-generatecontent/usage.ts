import type { Usage } from '../reply.ts';
import { field } from './fields.ts';

/** The prompt includes what was cached; what server-side tools brought in comes on top; thoughts are not in the output. */
export function usageOf(value: unknown, native: string): Usage {
  const count = (name: string): number => {
    const found = field(value, `${name}TokenCount`);
    return typeof found === 'number' && found > 0 ? found : 0;
  };
  const cacheRead = count('cachedContent');
  return {
    input: Math.max(0, count('prompt') - cacheRead) + count('toolUsePrompt'),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: count('candidates'),
    reasoning: count('thoughts'),
    native,
  };
}
