import type { JsonObject } from '../../json/index.ts';
import type { Usage } from '../reply.ts';
import { field } from './fields.ts';

/** The prompt includes what was cached; what server-side tools brought in comes on top; thoughts are not in the output. */
export function usageOf(value: JsonObject, native: string): Usage {
  const count = (name: string): number => {
    const found = field(value, name);
    return typeof found === 'number' && found > 0 ? found : 0;
  };
  const cacheRead = count('cachedContentTokenCount');
  return {
    input: Math.max(0, count('promptTokenCount') - cacheRead) + count('toolUsePromptTokenCount'),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: count('candidatesTokenCount'),
    reasoning: count('thoughtsTokenCount'),
    native,
  };
}
