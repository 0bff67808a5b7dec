import { find, isObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError } from '../reply.ts';
import { DIALECT } from './provider.ts';
import { stopOf } from './stop.ts';
import { usageOf } from './usage.ts';

/** The reply is the whole body: the message is cut out of it, the rest is the envelope. */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value)) throw new ProtocolError(DIALECT, 'the response is not a JSON object', body);
  if (value.type === 'error') throw new ProtocolError(DIALECT, 'it is an error response', body);
  const content = find(body, ['content']);
  if (!content || (!Array.isArray(value.content) && typeof value.content !== 'string' && value.content !== null))
    throw new ProtocolError(DIALECT, 'the response has no "content"', body);
  const contentText = value.content === null ? '[]' : body.slice(content.start, content.end);
  return {
    choices: [
      {
        raw: `{"role":${textAt(body, ['role']) ?? '"assistant"'},"content":${contentText}}`,
        stop: stopOf(value.stop_reason),
      },
    ],
    usage: usageOf(value.usage, textAt(body, ['usage'])),
    envelope: splice(body, [{ ...content, text: 'null' }]),
    model: typeof value.model === 'string' ? value.model : undefined,
  };
}
