import { find, isObject, isText, type JsonObject, mapElements, parseJson, splice, textAt } from '../../json/index.ts';
import type { Citation, ContentBlock, MessageView, Need, Origin, Role } from '../../message/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { viewId } from '../write/drafts.ts';
import { inlineDataUrl, parseObject } from '../write/translate.ts';
import { DIALECT } from './provider.ts';
import {
  argumentsOf,
  callsIn,
  endsInThought,
  hasBadArguments,
  hasOpenCall,
  isEmptyText,
  saysNothing,
} from './rules.ts';

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

const ROLES: ReadonlySet<unknown> = new Set<Role>(['system', 'user', 'assistant', 'tool']);

/** Reads a message: the plan for its calls, its content with sources, and its calls. */
export function view(raw: string, origin: Origin): MessageView {
  const message = parseJson(raw);
  if (!isObject(message)) throw new ProtocolError(DIALECT, 'the message is not a JSON object', raw);
  const role = ROLES.has(message.role) ? (message.role as Role) : 'other';
  const said = readContent(raw, message);
  const needs = findNeeds(message, origin.cut === true);
  if (role === 'tool') {
    const toolCallId = isText(message.tool_call_id) ? message.tool_call_id : 'skn_fn_0_';
    return { role, content: [{ type: 'tool-result', toolCallId, content: said, isError: false }], needs };
  }
  const plan: ContentBlock[] = isText(message.tool_plan)
    ? [{ type: 'reasoning', text: message.tool_plan, redacted: false }]
    : [];
  const cited = withCitations(said, raw, message);
  const names = Object.keys(message);
  const isPlanLast = plan.length > 0 && cited.length > 0 && names.indexOf('content') < names.indexOf('tool_plan');
  const content = [
    ...(isPlanLast ? [...cited, ...plan] : [...plan, ...cited]),
    ...callsIn(message).map((call, at) => readCall(call, at, raw)),
  ];
  return { role, content, needs };
}

function findNeeds(message: JsonObject, cut: boolean): Need[] {
  const bad = callsIn(message).filter(hasBadArguments);
  const parts: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const needs: [Need, boolean][] = [
    ['empty', saysNothing(message) || parts.some(isEmptyText)],
    ['arguments', bad.length > 0 && !cut],
    ['cut', cut && (hasOpenCall(message) || endsInThought(message))],
  ];
  return needs.filter(([, is]) => is).map(([need]) => need);
}

function readCall(call: JsonObject, index: number, raw: string): ContentBlock {
  const { name } = isObject(call.function) ? call.function : {};
  const rawParameters = argumentsOf(call);
  return {
    type: 'tool-use',
    id: isText(call.id) ? call.id : viewId(raw, index),
    name: isText(name) ? name : '',
    parameters: parseObject(rawParameters) ?? {},
    // Models write `null` for a call without arguments.
    rawParameters: rawParameters.trim() === 'null' ? '' : rawParameters,
  };
}

function readContent(raw: string, message: JsonObject): ContentBlock[] {
  const { content } = message;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return mapElements(raw, message, 'content', (part, native) => readPart(part, native));
}

function readPart(part: unknown, native: string): ContentBlock {
  if (!isObject(part)) return { type: 'unknown', native };
  const { type, text, thinking, image_url: image, document } = part;
  if (type === 'text' && typeof text === 'string') return { type, text };
  if (type === 'thinking' && typeof thinking === 'string')
    return { type: 'reasoning', text: thinking, redacted: false };
  const url = isObject(image) ? image.url : undefined;
  if (type === 'image_url' && typeof url === 'string')
    return inlineDataUrl({ type: 'media', mediaType: 'image/*', source: { kind: 'url', url } });
  if (type === 'document' && isObject(document)) {
    const { data } = document;
    return { type: 'text', text: typeof data === 'string' ? data : (textAt(native, ['document', 'data']) ?? '') };
  }
  return { type: 'unknown', native };
}

/** Sources name the part of the content that they belong to, the first if they do not. */
function withCitations(said: readonly ContentBlock[], raw: string, message: JsonObject): ContentBlock[] {
  const found = mapElements(raw, message, 'citations', (value, native) => ({
    at: isObject(value) && typeof value.content_index === 'number' ? value.content_index : undefined,
    citation: readCitation(value, native),
  }));
  const first = said.findIndex(({ type }) => type === 'text');
  return said.map((block, index) => {
    if (block.type !== 'text') return block;
    const citations = found.flatMap(({ at, citation }) =>
      (at ?? first) === index || (at !== undefined && said[at]?.type !== 'text' && index === first) ? [citation] : [],
    );
    return citations.length > 0 ? { ...block, citations } : block;
  });
}

function readCitation(value: unknown, native: string): Citation {
  if (!isObject(value)) return { native };
  const [source] = Array.isArray(value.sources) ? value.sources.filter(isObject) : [];
  const { title, url } = isObject(source?.document) ? source.document : {};
  return {
    ...(isText(url) && { url }),
    ...(isText(title) && { title }),
    ...(isText(value.text) && { quote: value.text }),
    native,
  };
}
