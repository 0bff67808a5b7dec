import { find, isObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { DIALECT } from './provider.ts';

/** Reads a response: `output.message` is the message, the rest is the envelope. It names neither its id nor its model. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  const message = isObject(value) && isObject(value.output) && isObject(value.output.message) && find(body, MESSAGE);
  if (!message) throw new ProtocolError(DIALECT, 'the response has no "output.message"', body);
  return {
    choices: [{ raw: body.slice(message.start, message.end), stop: readStop(value.stopReason) }],
    usage: readUsage(value.usage, textAt(body, ['usage'])),
    envelope: splice(body, [{ ...message, text: 'null' }]),
    model: undefined,
  };
}

const MESSAGE = ['output', 'message'];

/** `inputTokens` does not include tokens that were read from or written to the cache. */
export function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const details = Array.isArray(value.cacheDetails) ? value.cacheDetails : [];
  const written = count(value, 'cacheWriteInputTokens');
  const longer = details.filter((detail) => isObject(detail) && detail.ttl === '1h');
  const cacheWrite1h = Math.min(
    written,
    longer.reduce((sum, detail) => sum + count(detail, 'inputTokens'), 0),
  );
  return {
    input: count(value, 'inputTokens'),
    cacheRead: count(value, 'cacheReadInputTokens'),
    cacheWrite5m: written - cacheWrite1h,
    cacheWrite1h,
    output: count(value, 'outputTokens'),
    // It is part of the output, and not told apart.
    reasoning: 0,
    native,
  };
}

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  tool_use: 'tool-use',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop-sequence',
  guardrail_intervened: 'filter',
  content_filtered: 'filter',
  malformed_model_output: 'error',
  malformed_tool_use: 'error',
};

export function readStop(native: unknown): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  return { reason: Object.hasOwn(REASONS, native) ? REASONS[native]! : 'unknown', native };
}
