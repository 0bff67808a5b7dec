import { isObject, isText, type JsonObject, mapElements, textAt } from '../../json/index.ts';
import {
  type ContentBlock,
  type MediaBlock,
  type MessageView,
  type Origin,
  readCitation,
  type ToolResultBlock,
} from '../../message/index.ts';
import { viewId } from '../write/drafts.ts';
import { parseObject } from '../write/translate.ts';
import { findNeeds } from './rules.ts';
import { hasType, isModelStep, readSteps, type Step } from './steps.ts';

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

export function readContent(value: unknown, native: string, origin: Pick<Origin, 'issuer'>): ContentBlock {
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
