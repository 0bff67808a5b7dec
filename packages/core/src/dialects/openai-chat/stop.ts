import { isObject, parseJson } from '../../json/index.ts';
import type { Stop, StopReason } from '../reply.ts';
import { refusalOf } from './native-message.ts';

/** OpenAI's words, and those that compatible providers use instead. */
const REASONS: ReadonlyMap<unknown, StopReason> = new Map<string, StopReason>([
  ['stop', 'end'],
  ['eos_token', 'end'],
  ['tool_calls', 'tool-use'],
  ['function_call', 'tool-use'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['content_filter', 'filter'],
  ['refusal', 'refusal'],
  ['error', 'error'],
]);

/**
 * Why a complete message ended. `stop` also comes with calls when a tool was forced, and with refusals; some
 * compatible providers give no word at all: then the message itself tells.
 */
export function stopOf(word: unknown, raw: string): Stop {
  const native = typeof word === 'string' ? word : undefined;
  const reason = REASONS.get(native);
  if (reason !== 'end' && native) return { reason: reason ?? 'unknown', native };
  const message = parseJson(raw);
  if (!isObject(message)) return { reason: 'end', native };
  if (Array.isArray(message.tool_calls) && message.tool_calls.length > 0) return { reason: 'tool-use', native };
  return { reason: refusalOf(message) === '' ? 'end' : 'refusal', native };
}
