import {
  type Edit,
  find,
  isObject,
  isText,
  type JsonObject,
  type Path,
  parseJson,
  splice,
  textAt,
} from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { errorMessage } from '../stream.ts';
import { DIALECT } from './provider.ts';
import { EMPTY_MESSAGE } from './rules.ts';

export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.choices) || value.choices.length === 0) {
    const { error, choices } = isObject(value) ? value : {};
    const problem = choices ? '"choices" is empty' : 'the body has no "choices"';
    throw new ProtocolError(DIALECT, error ? errorMessage(error) : problem, body);
  }
  const edits: Edit[] = [];
  const choices = value.choices.map((choice: unknown, index) => {
    const { message, finish_reason: word } = isObject(choice) ? choice : {};
    const range = isObject(message) ? find(body, ['choices', index, 'message']) : undefined;
    if (range) edits.push({ start: range.start, end: range.end, text: 'null' });
    const raw = range ? body.slice(range.start, range.end) : EMPTY_MESSAGE;
    return { raw, stop: readStop(word, raw) };
  });
  return toReply(value, choices, splice(body, edits));
}

export function toReply({ model, provider }: JsonObject, choices: RawReply['choices'], envelope: string): RawReply {
  // OpenRouter names the upstream in `provider`.
  return { choices, usage: readUsage(envelope), envelope, model, upstream: provider };
}

/** Where usage stands: Groq puts that of a stream under `x_groq`, Moonshot into the choice. */
const PLACES: readonly Path[] = [['usage'], ['x_groq', 'usage'], ['choices', 0, 'usage']];

/** Reads the usage in an envelope. */
export function readUsage(envelope: string): Usage | undefined {
  const native = PLACES.map((path) => textAt(envelope, path)).find((text) => text?.startsWith('{'));
  if (native === undefined) return undefined;
  const usage = parseJson(native) as JsonObject;
  const { prompt_tokens_details: given, completion_tokens_details: spent } = usage;
  const prompt = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens);
  // Names of DeepSeek, Moonshot and Mistral; OpenAI's is in the details.
  const cached = [usage.prompt_cache_hit_tokens, usage.cached_tokens, usage.num_cached_tokens].map((one) => count(one));
  const cacheRead = Math.min(prompt, Math.max(count(given, 'cached_tokens'), ...cached));
  const cacheWrite5m = Math.min(prompt - cacheRead, count(given, 'cache_write_tokens'));
  const thought = count(spent, 'reasoning_tokens');
  // xAI counts reasoning beside the completion, everyone else inside it; the total tells which.
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

/** OpenAI's words, and those of compatible providers. */
const REASONS: readonly (readonly [StopReason, ...words: string[]])[] = [
  ['end', 'stop', 'eos_token'],
  ['tool-use', 'tool_calls', 'function_call'],
  ['length', 'length', 'max_tokens', 'model_length'],
  ['stop-sequence', 'stop_sequence'],
  ['filter', 'content_filter'],
  ['refusal', 'refusal'],
  ['error', 'error'],
];

/**
 * Reads why a complete message ended. `stop` also comes with forced calls and with refusals, and some compatible
 * providers give no reason at all, so the message itself is read, too.
 */
export function readStop(word: unknown, raw: string): Stop {
  const native = typeof word === 'string' ? word : undefined;
  const reason = native ? (REASONS.find(([, ...words]) => words.includes(native))?.[0] ?? 'unknown') : 'end';
  const message = reason === 'end' ? parseJson(raw) : undefined;
  if (!isObject(message)) return { reason, native };
  if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0) return { reason: 'tool-use', native };
  return { reason: isText(message.refusal) ? 'refusal' : 'end', native };
}
