import { isObject, type JsonObject, type Path, textAt } from '../../json/index.ts';
import type { Usage } from '../reply.ts';

/** Groq puts the usage of a stream under its own name, Moonshot into the choice. */
const PLACES: readonly Path[] = [['usage'], ['x_groq', 'usage'], ['choices', 0, 'usage']];

/** The usage of an envelope, given as value and text. */
export function usageOf(value: unknown, text: string): Usage | undefined {
  for (const path of PLACES) {
    const usage = valueAt(value, path);
    if (isObject(usage)) return bucketsOf(usage, textAt(text, path)!);
  }
  return undefined;
}

function bucketsOf(usage: JsonObject, native: string): Usage {
  const prompt = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens);
  const promptDetails = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const details = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const cacheRead = Math.min(prompt, cachedTokens(usage, promptDetails));
  const cacheWrite = Math.min(prompt - cacheRead, count(promptDetails.cache_write_tokens));
  const thought = count(details.reasoning_tokens);
  // xAI counts thoughts beside the completion, everyone else inside it; the total tells.
  const beside = thought > 0 && count(usage.total_tokens) === prompt + completion + thought;
  const reasoning = beside ? thought : Math.min(completion, thought);
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite5m: cacheWrite,
    cacheWrite1h: 0,
    output: beside ? completion : completion - reasoning,
    reasoning,
    native,
  };
}

/** The names of OpenAI, DeepSeek, Moonshot and Mistral. */
function cachedTokens(usage: JsonObject, details: JsonObject): number {
  const names = [details.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens, usage.num_cached_tokens];
  return Math.max(...names.map(count));
}

function count(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof step === 'number') at = Array.isArray(at) ? (at as unknown[])[step] : undefined;
    else at = isObject(at) ? at[step] : undefined;
  }
  return at;
}
