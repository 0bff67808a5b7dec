import { find, isObject, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';

/** `{"model":…,"message":{…},"stop":"end","usage":{…}}` */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  const message = isObject(value) && isObject(value.message) ? find(body, ['message']) : undefined;
  if (!isObject(value) || !message) throw new ProtocolError('blocks', 'the reply has no "message"', body);
  return {
    choices: [{ raw: body.slice(message.start, message.end), stop: readStop(value.stop) }],
    usage: readUsage(value.usage, textAt(body, ['usage'])),
    envelope: splice(body, [{ start: message.start, end: message.end, text: 'null' }]),
    model: value.model,
  };
}

const REASONS: ReadonlySet<unknown> = new Set<StopReason>([
  'end',
  'tool-use',
  'length',
  'stop-sequence',
  'refusal',
  'filter',
  'pause',
  'error',
  'cut',
]);

function readStop(native: unknown): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  return { reason: REASONS.has(native) ? (native as StopReason) : 'unknown', native };
}

function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  return {
    input: count(value, 'input'),
    cacheRead: count(value, 'cacheRead'),
    cacheWrite5m: count(value, 'cacheWrite5m'),
    cacheWrite1h: count(value, 'cacheWrite1h'),
    output: count(value, 'output'),
    reasoning: count(value, 'reasoning'),
    native,
  };
}
