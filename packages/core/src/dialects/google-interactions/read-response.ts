import {
  elementTexts,
  find,
  isObject,
  isText,
  type JsonObject,
  mapElements,
  parseJson,
  splice,
  textAt,
} from '../../json/index.ts';
import {
  type ContentBlock,
  type MediaBlock,
  type MessageView,
  type Origin,
  readCitation,
  type ToolResultBlock,
} from '../../message/index.ts';
import type { RawReply } from '../dialect.ts';
import { count, ProtocolError, type Stop, type StopReason, type Usage } from '../reply.ts';
import { viewId } from '../write/drafts.ts';
import { parseObject } from '../write/translate.ts';
import { DIALECT } from './provider.ts';
import { findNeeds } from './rules.ts';
import { hasType, isModelStep, readSteps, type Step, turnText } from './steps.ts';

/**
 * Reads an interaction: the steps of the model are the message, everything else is the envelope. An interaction that is
 * fetched later may begin with the client's steps: they stay in the envelope.
 */
export function readReply(body: string): RawReply {
  const value = parseJson(body);
  if (!isObject(value) || (!Array.isArray(value.steps) && value.object !== 'interaction'))
    throw new ProtocolError(DIALECT, 'neither "steps" nor an interaction', body);
  const steps: readonly unknown[] = Array.isArray(value.steps) ? value.steps : [];
  const range = Array.isArray(value.steps) ? find(body, ['steps']) : undefined;
  const texts = range ? elementTexts(body, range.start) : [];
  const first = steps.findLastIndex((step) => !isModelStep(step)) + 1;
  const before = first > 0 ? turnText(texts.slice(0, first)) : 'null';
  const envelope = range ? splice(body, [{ ...range, text: before }]) : body;
  return toReply(body, value, turnText(texts.slice(first)), steps.slice(first), envelope);
}

export function toReply(
  interaction: string,
  value: JsonObject,
  raw: string,
  steps: readonly unknown[],
  envelope: string,
): RawReply {
  return {
    choices: [{ raw, stop: readStop(value, steps) }],
    usage: readUsage(value.usage, textAt(interaction, ['usage'])),
    envelope,
    model: value.model ?? value.agent,
  };
}

/** The input includes cached tokens; tokens of the provider's own tools come on top; the output does not include thoughts. */
function readUsage(value: unknown, native: string | undefined): Usage | undefined {
  if (!isObject(value) || native === undefined) return undefined;
  const cacheRead = count(value, 'total_cached_tokens');
  return {
    input: Math.max(0, count(value, 'total_input_tokens') - cacheRead) + count(value, 'total_tool_use_tokens'),
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: count(value, 'total_output_tokens'),
    reasoning: count(value, 'total_thought_tokens'),
    native,
  };
}

const REASONS: ReadonlyMap<string, StopReason> = new Map([
  ['completed', 'end'],
  ['requires_action', 'tool-use'],
  ['requires_continuation', 'pause'],
  ['incomplete', 'length'],
  ['budget_exceeded', 'length'],
  ['failed', 'error'],
  ['cancelled', 'cut'],
]);

/** Reads why an interaction ended. Google adds statuses over time: those that are not listed are `unknown`. */
function readStop({ status }: JsonObject, steps: readonly unknown[]): Stop {
  if (typeof status !== 'string') return { reason: 'unknown', native: undefined };
  const reason = REASONS.get(status) ?? 'unknown';
  const calls = steps.some((step) => hasType(step, 'function_call'));
  return { reason: reason === 'end' && calls ? 'tool-use' : reason, native: status };
}

/** Reads a model's turn, `[step,step,…]`, one step that a client wrote, or the system instruction. */
export function view(raw: string, origin: Origin): MessageView {
  const { steps, isTurn } = readSteps(raw);
  const needs = findNeeds(steps, isTurn, origin);
  const client = isTurn ? undefined : (steps[0] as Step & { readonly value: JsonObject });
  if (client?.value.role === 'system' && typeof client.value.content === 'string')
    return { role: 'system', content: [{ type: 'text', text: client.value.content }], needs: [] };
  if (!client || isModelStep(client.value)) {
    const content = steps.flatMap((step, index) => readStep(step, origin, () => viewId(raw, index)));
    return { role: 'assistant', content, needs };
  }
  const { value, text } = client;
  if (value.type === 'function_result') return { role: 'tool', content: [readResult(value, text, origin)], needs };
  if (value.type !== 'user_input') return { role: 'other', content: [{ type: 'unknown', native: text }], needs };
  const content = readContents(value, text, 'content', origin);
  const isTool = content.length > 0 && content.every((block) => block.type === 'tool-result');
  return { role: isTool ? 'tool' : 'user', content, needs };
}

/** The blocks of a step of the model. What its own tools did is unknown to all others. */
export function readStep({ value, text }: Step, origin: Pick<Origin, 'issuer'>, madeId: () => string): ContentBlock[] {
  if (hasType(value, 'thought')) return [readThought(value)];
  if (hasType(value, 'model_output') && value.error === undefined) return readContents(value, text, 'content', origin);
  if (!hasType(value, 'function_call') || typeof value.name !== 'string') return [{ type: 'unknown', native: text }];
  const { id, name, arguments: args } = value;
  // What a broken stream left of the arguments is a string.
  const rawParameters = typeof args === 'string' ? args : (textAt(text, ['arguments']) ?? '{}');
  const parameters = parseObject(rawParameters) ?? {};
  return [{ type: 'tool-use', id: isText(id) ? id : madeId(), name, parameters, rawParameters }];
}

function readThought({ summary, signature }: JsonObject): ContentBlock {
  const parts: readonly unknown[] = Array.isArray(summary) ? summary : [];
  const text = parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? part.text : [])).join('\n\n');
  return { type: 'reasoning', text, redacted: text === '' && isText(signature) };
}

/** Reads a list of contents; a string or a single content may stand in its place. */
function readContents(
  value: JsonObject,
  text: string,
  name: 'content' | 'result',
  origin: Pick<Origin, 'issuer'>,
): ContentBlock[] {
  const given = value[name];
  if (typeof given === 'string') return [{ type: 'text', text: given }];
  if (Array.isArray(given)) return mapElements(text, value, name, (part, native) => readContent(part, native, origin));
  const native = textAt(text, [name]);
  if (native === undefined || given === null) return [];
  return name === 'content' ? [readContent(given, native, origin)] : [{ type: 'text', text: native }];
}

function readContent(value: unknown, native: string, origin: Pick<Origin, 'issuer'>): ContentBlock {
  if (!isObject(value)) return { type: 'unknown', native };
  const { type, text } = value;
  if (type === 'function_result') return readResult(value, native, origin);
  if (type !== 'text' || typeof text !== 'string') return readMedia(value, origin) ?? { type: 'unknown', native };
  const citations = mapElements(native, value, 'annotations', (citation, source) => readCitation(source, citation));
  return citations.length > 0 ? { type, text, citations } : { type, text };
}

function readResult(value: JsonObject, native: string, origin: Pick<Origin, 'issuer'>): ToolResultBlock {
  const { call_id: id, name, is_error: isError } = value;
  return {
    type: 'tool-result',
    toolCallId: isText(id) ? id : `skn_fn_0_${isText(name) ? name : 'tool'}`,
    content: readContents(value, native, 'result', origin),
    isError: isError === true,
  };
}

function readMedia({ type, data, uri, mime_type: given }: JsonObject, { issuer }: Pick<Origin, 'issuer'>) {
  if (!/^(?:image|audio|video|document)$/.test(String(type))) return undefined;
  const mediaType = isText(given) ? given : `${type === 'document' ? 'application' : type}/*`;
  const media = (source: MediaBlock['source']): MediaBlock => ({ type: 'media', mediaType, source });
  if (isText(data)) return media({ kind: 'base64', data });
  if (!isText(uri)) return undefined;
  // Only the issuer can read an upload; anyone can read a URL.
  return media(uri.startsWith(`https://${issuer}/`) ? { kind: 'file', id: uri } : { kind: 'url', url: uri });
}
