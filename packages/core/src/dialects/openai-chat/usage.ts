import { type JsonObject, type Path, parseJson, textAt } from '../../json/index.ts';
import { count, type Usage } from '../reply.ts';

/** Groq puts the usage of a stream under its own name, Moonshot into the choice. */
const PLACES: readonly Path[] = [['usage'], ['x_groq', 'usage'], ['choices', 0, 'usage']];

/** The usage that stands in an envelope. */
export function usageOf(envelope: string): Usage | undefined {
  const native = PLACES.map((path) => textAt(envelope, path)).find((text) => text?.startsWith('{'));
  if (native === undefined) return undefined;
  const usage = parseJson(native) as JsonObject;
  const { prompt_tokens_details: given, completion_tokens_details: spent } = usage;
  const prompt = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens);
  // The names of OpenAI, DeepSeek, Moonshot and Mistral.
  const cached = [usage.prompt_cache_hit_tokens, usage.cached_tokens, usage.num_cached_tokens].map((one) => count(one));
  const cacheRead = Math.min(prompt, Math.max(count(given, 'cached_tokens'), ...cached));
  const cacheWrite5m = Math.min(prompt - cacheRead, count(given, 'cache_write_tokens'));
  const thought = count(spent, 'reasoning_tokens');
  // xAI counts thoughts beside the completion, everyone else inside it; the total tells.
  const isBeside = thought > 0 && count(usage.total_tokens) === prompt + completion + thought;
  const reasoning = isBeside ? thought : Math.min(completion, thought);
  return {
    input: prompt - cacheRead - cacheWrite5m,
    cacheRead,
    cacheWrite5m,
    cacheWrite1h: 0,
    output: isBeside ? completion : completion - reasoning,
    reasoning,
    native,
  };
}
