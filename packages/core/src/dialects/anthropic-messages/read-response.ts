import { isObject, memberOf, parseJson, skipSpace, splice } from '../../json/index.ts';
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
  const start = skipSpace(body, 0);
  const content = memberOf(body, start, 'content');
  if (!content || (!Array.isArray(value.content) && typeof value.content !== 'string' && value.content !== null))
    throw new ProtocolError(DIALECT, 'the response has no "content"', body);
  const role = memberOf(body, start, 'role');
  const usage = memberOf(body, start, 'usage');
  const roleText = role ? body.slice(role.start, role.end) : '"assistant"';
  const contentText = value.content === null ? '[]' : body.slice(content.start, content.end);
  return {
    choices: [{ raw: `{"role":${roleText},"content":${contentText}}`, stop: stopOf(value.stop_reason) }],
    usage: usage && usageOf(value.usage, body.slice(usage.start, usage.end)),
    envelope: splice(body, [{ start: content.start, end: content.end, text: 'null' }]),
    model: typeof value.model === 'string' ? value.model : undefined,
  };
}
