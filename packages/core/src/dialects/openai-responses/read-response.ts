import { elementTexts, find, isObject, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { DIALECT } from './provider.ts';
import { stopOf } from './stop.ts';
import { usageOf } from './usage.ts';

/** A response: its output items are the message, everything else is the envelope. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.output))
    throw new ProtocolError(DIALECT, 'the response has no "output"', body);
  const output = find(body, ['output'])!;
  const envelope = splice(body, [{ ...output, text: 'null' }]);
  return replyOf(body, value, turnText(elementTexts(body, output.start)), value.output, envelope);
}

export function replyOf(
  response: string,
  value: JsonObject,
  raw: string,
  items: readonly unknown[],
  envelope: string,
): RawReply {
  return {
    choices: [{ raw, stop: stopOf(value, items) }],
    usage: usageOf(value.usage, textAt(response, ['usage'])),
    envelope,
    model: value.model,
  };
}

export function turnText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}
