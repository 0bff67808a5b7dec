import { isObject, isText, parseJson } from '../../json/index.ts';
import type { Stop, StopReason } from '../reply.ts';

/** OpenAI's words, and those that compatible providers use instead. */
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
 * Why a complete message ended. `stop` also comes with calls when a tool was forced, and with refusals; some
 * compatible providers give no word at all: then the message itself tells.
 */
export function stopOf(word: unknown, raw: string): Stop {
  const native = typeof word === 'string' ? word : undefined;
  const reason = native ? (REASONS.find(([, ...words]) => words.includes(native))?.[0] ?? 'unknown') : 'end';
  const message = reason === 'end' ? parseJson(raw) : undefined;
  if (!isObject(message)) return { reason, native };
  if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0) return { reason: 'tool-use', native };
  return { reason: isText(message.refusal) ? 'refusal' : 'end', native };
}
