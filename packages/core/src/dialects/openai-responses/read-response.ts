import { elementTexts, isObject, memberOf, parseJson, skipSpace, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { DIALECT } from './items.ts';
import { stopOf } from './stop.ts';
import { usageOf } from './usage.ts';

/** A response: its output items are the message, everything else is the envelope. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.output))
    throw new ProtocolError(DIALECT, 'the response has no "output"', body);
  const output = memberOf(body, skipSpace(body, 0), 'output')!;
  return {
    choices: [{ raw: turnText(elementTexts(body, output.start)), stop: stopOf(value, value.output) }],
    usage: usageOf(value.usage, textAt(body, ['usage'])),
    envelope: splice(body, [{ start: output.start, end: output.end, text: 'null' }]),
    model: typeof value.model === 'string' ? value.model : undefined,
  };
}

export function turnText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}
