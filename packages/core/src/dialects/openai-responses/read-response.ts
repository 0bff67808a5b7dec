import { elementTexts, find, isObject, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { DIALECT } from './provider.ts';

/** Reads a response: its output items are the message, everything else is the envelope. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.output))
    throw new ProtocolError(DIALECT, 'the response has no "output"', body);
  const output = find(body, ['output'])!;
  const envelope = splice(body, [{ ...output, text: 'null' }]);
  return toReply(body, value, turnText(elementTexts(body, output.start)), value.output, envelope);
}

export function toReply(
  response: string,
  value: JsonObject,
  raw: string,
  items: readonly unknown[],
  envelope: string,
): RawReply {
  return {
    choices: [{ raw, stop: readStop(value, items) }],
    usage: readUsage(value.usage, textAt(response, ['usage'])),
    envelope,
    model: value.model,
  };
}

export function turnText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

/**
 * The API includes cached and newly cached tokens in the input, and reasoning in the output. Its caches live for half an
 * hour, so tokens that are written to them count as short-lived.
 */
function readUsage(value: unknown, native: string | undefined): Usage | undefined {
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

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['failed', 'error'],
  ['cancelled', 'cut'],
  ['max_output_tokens', 'length'],
  ['content_filter', 'filter'],
]);

/** Reads why a response ended: from its status, from the reason if it is incomplete, from its items if it is complete. */
function readStop({ status, incomplete_details: details }: JsonObject, items: readonly unknown[]): Stop {
  const given = status === 'incomplete' && isObject(details) ? details.reason : undefined;
  const native = [given, status].find((word) => typeof word === 'string');
  const isComplete = native === undefined || native === 'completed' || native === 'complete';
  return { reason: isComplete ? completed(items) : (REASONS.get(native) ?? 'unknown'), native };
}

function completed(items: readonly unknown[]): StopReason {
  const values = items.filter(isObject);
  if (values.some(({ type }) => type === 'function_call' || type === 'custom_tool_call')) return 'tool-use';
  const parts = values.flatMap(({ content }): unknown[] => (Array.isArray(content) ? content : []));
  return parts.some((part) => isObject(part) && part.type === 'refusal') ? 'refusal' : 'end';
}
