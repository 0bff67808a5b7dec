import { type ContentBlock, isObject, type JsonObject, textAt } from '@skein/core';
import { argumentsText, type Exact, textIn } from '../source/exact.ts';
import { mediaFrom } from './media.ts';
import type { Answered } from './turns.ts';

type Item = ContentBlock | { readonly result: Answered };

export function isBlock(item: Item): item is ContentBlock {
  return !('result' in item);
}

/** What a message shows, in order: calls of one step first, then their results. */
export function partsOfUi(source: Exact): Item[] {
  const { text, value } = source;
  const items: Item[] = [];
  let results: Item[] = [];
  const add = (item: Item) => {
    if (!isBlock(item)) {
      results.push(item);
      return;
    }
    if (item.type !== 'tool-use') settle();
    items.push(item);
  };
  const settle = () => {
    items.push(...results);
    results = [];
  };
  if (Array.isArray(value.parts)) {
    for (const [index, part] of value.parts.entries()) {
      if (isObject(part) && part.type === 'step-start') settle();
      else partOf(part, textAt(text, ['parts', index])!).forEach(add);
    }
  } else for (const item of withoutParts(source)) add(item);
  settle();
  return items;
}

/** Version 4 before it had parts: thoughts, text, attachments, then calls. */
function withoutParts({ text, value }: Exact): Item[] {
  const reasoning = textIn(value, 'reasoning');
  const said = textIn(value, 'content');
  const attached = Array.isArray(value.experimental_attachments) ? value.experimental_attachments : [];
  const invocations = Array.isArray(value.toolInvocations) ? value.toolInvocations : [];
  return [
    ...(reasoning ? [{ type: 'reasoning', text: reasoning, redacted: false } as const] : []),
    ...(said ? [{ type: 'text', text: said } as const] : []),
    ...attached.map((item, index) =>
      mediaFrom(item, ['contentType'], ['name'], textAt(text, ['experimental_attachments', index])!),
    ),
    ...invocations.flatMap((item, index) => invocation(item, textAt(text, ['toolInvocations', index])!)),
  ];
}

function partOf(part: unknown, native: string): Item[] {
  if (!isObject(part)) return [{ type: 'unknown', native }];
  const type = String(part.type);
  if (type === 'text' && typeof part.text === 'string') return [{ type, text: part.text }];
  if (type === 'reasoning') {
    const thought = textIn(part, 'text') ?? textIn(part, 'reasoning');
    return [thought === undefined ? { type: 'unknown', native } : { type, text: thought, redacted: false }];
  }
  if (type === 'tool-invocation') return invocation(part.toolInvocation, textAt(native, ['toolInvocation']) ?? native);
  if (type === 'dynamic-tool' && typeof part.toolName === 'string') return toolPart(part.toolName, part, native);
  if (type.startsWith('tool-') && typeof part.toolCallId === 'string')
    return toolPart(type.slice('tool-'.length), part, native);
  if (type === 'file') return [mediaFrom(part, ['mediaType', 'mimeType'], ['filename', 'name'], native)];
  return [{ type: 'unknown', native }];
}

function toolPart(name: string, part: JsonObject, native: string): Item[] {
  const callId = textIn(part, 'toolCallId');
  if (callId === undefined) return [{ type: 'unknown', native }];
  const use = call(callId, name, part.input, textAt(native, ['input']));
  const { state } = part;
  if (state === 'output-available') return [use, answer(callId, part.output, textAt(native, ['output']), false)];
  if (state === 'output-error') return [use, answer(callId, part.errorText, textAt(native, ['errorText']), true)];
  return [use];
}

function invocation(value: unknown, native: string): Item[] {
  if (!isObject(value) || typeof value.toolCallId !== 'string' || typeof value.toolName !== 'string')
    return [{ type: 'unknown', native }];
  const use = call(value.toolCallId, value.toolName, value.args, textAt(native, ['args']));
  return value.state === 'result'
    ? [use, answer(value.toolCallId, value.result, textAt(native, ['result']), false)]
    : [use];
}

function call(id: string, name: string, value: unknown, text: string | undefined): ContentBlock {
  return { type: 'tool-use', id, name, parameters: {}, rawParameters: argumentsText(value, text) };
}

function answer(callId: string, value: unknown, text: string | undefined, isError: boolean): Item {
  return { result: { callId, content: typeof value === 'string' ? value : (text ?? ''), isError } };
}
