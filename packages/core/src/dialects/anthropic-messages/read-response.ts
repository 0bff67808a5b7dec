import { find, isObject, type JsonObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { ProtocolError, type Stop } from '../reply.ts';
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
  const text = value.content === null ? '[]' : body.slice(content.start, content.end);
  const envelope = splice(body, [{ ...content, text: 'null' }]);
  return replyOf(envelope, value, text, stopOf(value.stop_reason));
}

/** `value` is what the envelope says. */
export function replyOf(envelope: string, { usage, model }: JsonObject, content: string, stop: Stop): RawReply {
  return {
    choices: [{ raw: `{"role":${textAt(envelope, ['role']) ?? '"assistant"'},"content":${content}}`, stop }],
    usage: usageOf(usage, textAt(envelope, ['usage'])),
    envelope,
    model,
  };
}
