import { elementsIn, find, isObject, membersOf, parseJson, splice, textAt } from '../../json/index.ts';
import type { RawReply, RawRequest } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import type { RequestParams, ToolDefinition } from '../request.ts';

/** `{"model":…,"message":{…},"stop":"end","usage":{…}}` */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  const message = isObject(value) && isObject(value.message) ? find(body, ['message']) : undefined;
  if (!isObject(value) || !message) throw new ProtocolError('blocks', 'the reply has no "message"', body);
  return {
    choices: [{ raw: body.slice(message.start, message.end), stop: stopOf(value.stop) }],
    usage: usageOf(value.usage, textAt(body, ['usage'])),
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

function stopOf(native: unknown): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  return { reason: REASONS.has(native) ? (native as StopReason) : 'unknown', native };
}

function usageOf(value: unknown, native: string | undefined): Usage | undefined {
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

/** `{"model":…,"tools":[…],"messages":[…],"params":{…}}`; system messages stand in the list. */
export function readRequest(body: string): RawRequest {
  const value = parseJson(body);
  if (!isObject(value) || !Array.isArray(value.messages))
    throw new ProtocolError('blocks', 'the request has no "messages"', body);
  const rest: Record<string, string> = {};
  for (const member of membersOf(body)) {
    if (!['model', 'tools', 'messages', 'params'].includes(member.name))
      rest[member.name] = body.slice(member.start, member.end);
  }
  return {
    model: value.model,
    system: undefined,
    messages: elementsIn(body, value, 'messages', (_, text) => text),
    tools: elementsIn(body, value, 'tools', (_, text) => toolOf(text)),
    params: isObject(value.params) ? (value.params as RequestParams) : {},
    rest,
  };
}

function toolOf(text: string): ToolDefinition {
  const value = parseJson(text);
  const parameters = textAt(text, ['parameters']);
  if (!isObject(value) || typeof value.name !== 'string' || parameters === undefined)
    return { dialect: 'blocks', native: text };
  return {
    name: value.name,
    ...(typeof value.description === 'string' && { description: value.description }),
    parameters,
  };
}
