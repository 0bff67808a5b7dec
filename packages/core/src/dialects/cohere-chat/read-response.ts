import { find, isObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { DIALECT } from './provider.ts';

/** Reads a response: `message` is the message, the rest is the envelope. It does not name its model. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  const message = isObject(value) && isObject(value.message) && find(body, ['message']);
  if (!message) throw new ProtocolError(DIALECT, 'the response has no "message"', body);
  return {
    choices: [{ raw: body.slice(message.start, message.end), stop: readStop(value.finish_reason) }],
    usage: readUsage(value.usage, textAt(body, ['usage'])),
    envelope: splice(body, [{ ...message, text: 'null' }]),
    model: undefined,
  };
}

/** What is billed. The tokens that the API adds itself, and those that it read from its cache, are only in `native`. */
export function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const counted = isObject(value.billed_units) ? value.billed_units : value.tokens;
  return {
    input: count(counted, 'input_tokens'),
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: count(counted, 'output_tokens'),
    reasoning: 0,
    native,
  };
}

const REASONS: Readonly<Record<string, StopReason>> = {
  COMPLETE: 'end',
  TOOL_CALL: 'tool-use',
  MAX_TOKENS: 'length',
  STOP_SEQUENCE: 'stop-sequence',
  ERROR: 'error',
  TIMEOUT: 'error',
};

export function readStop(native: unknown): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  return { reason: Object.hasOwn(REASONS, native) ? REASONS[native]! : 'unknown', native };
}
