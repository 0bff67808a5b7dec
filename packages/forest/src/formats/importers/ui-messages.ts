import { type ContentBlock, isObject, type JsonObject, type Message, system, textAt, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter } from '../importer.ts';
import {
  argumentsText,
  type ExactObject,
  otherMembers,
  readJson,
  readObjects,
  readTime,
  textMember,
} from '../source/exact-json.ts';
import { chainMessages, readMedia, splitTurns, type ToolAnswer, unknownMessage } from './source-conversation.ts';

const TAKEN = ['role', 'parts', 'content', 'createdAt', 'toolInvocations', 'experimental_attachments', 'reasoning'];

/** UI messages of the AI SDK, version 4 and later: a list, or a chat with "messages". */
export const uiMessages: BuiltInImporter = {
  recognisedBy: 'objects with "role" and typed "parts", or with "toolInvocations"',
  detects: (value) => isUiMessage(value) || (Array.isArray(value.messages) && value.messages.some(isUiMessage)),
  element: 'message',
  read(text) {
    const value = readJson(text);
    const chat = isObject(value) && Array.isArray(value.messages) ? value : undefined;
    const list = chat ? chat.messages : value;
    if (!Array.isArray(list)) throw wrongShape('a list of UI messages, or {"messages":[…]}');
    const listText = chat ? textAt(text, ['messages'])! : text;
    const messages = readObjects(listText, list, 'a UI message').flatMap(readUiMessage);
    const id = chat && textMember(chat, 'id');
    return { ...(id && { id }), title: (chat && textMember(chat, 'title')) ?? '', messages: chainMessages(messages) };
  },
};

/** The messages that a UI message is: an answer of several steps is several. */
export function readUiMessage(source: ExactObject) {
  const { value } = source;
  const extra = otherMembers(source, TAKEN);
  const byModel = value.role === 'assistant' ? ({ author: 'model' } as const) : {};
  return writeMessages(source).map((message, part) => ({
    message,
    at: readTime(value.createdAt),
    take: { ...byModel, extra: part === 0 ? extra : { id: value.id, part } },
  }));
}

function writeMessages(source: ExactObject): Message[] {
  const { role } = source.value;
  const items = readUiParts(source);
  if (role === 'assistant') return splitTurns(items);
  const blocks = items.filter(isBlock);
  if (role === 'user') return [user(blocks)];
  if (role === 'system') return [system(blocks)];
  // Version 4 had messages that only carry data for the page; they were never sent to a model.
  return [unknownMessage(source.text)];
}

type Item = ContentBlock | { readonly result: ToolAnswer };

function isBlock(item: Item): item is ContentBlock {
  return !('result' in item);
}

/** Reads the parts of a message in order; the calls of a step come before their results. */
function readUiParts(source: ExactObject): Item[] {
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
      else readPart(part, textAt(text, ['parts', index])!).forEach(add);
    }
  } else for (const item of withoutParts(source)) add(item);
  settle();
  return items;
}

/** Early version 4 messages have no parts: reasoning, text, attachments, then calls. */
function withoutParts({ text, value }: ExactObject): Item[] {
  const reasoning = textMember(value, 'reasoning');
  const said = textMember(value, 'content');
  const attached = Array.isArray(value.experimental_attachments) ? value.experimental_attachments : [];
  const invocations = Array.isArray(value.toolInvocations) ? value.toolInvocations : [];
  return [
    ...(reasoning ? [{ type: 'reasoning', text: reasoning, redacted: false } as const] : []),
    ...(said ? [{ type: 'text', text: said } as const] : []),
    ...attached.map((item, index) =>
      readMedia(item, ['contentType'], ['name'], textAt(text, ['experimental_attachments', index])!),
    ),
    ...invocations.flatMap((item, index) => invocation(item, textAt(text, ['toolInvocations', index])!)),
  ];
}

function readPart(part: unknown, native: string): Item[] {
  if (!isObject(part)) return [{ type: 'unknown', native }];
  const type = String(part.type);
  if (type === 'text' && typeof part.text === 'string') return [{ type, text: part.text }];
  if (type === 'reasoning') {
    const thought = textMember(part, 'text') ?? textMember(part, 'reasoning');
    return [thought === undefined ? { type: 'unknown', native } : { type, text: thought, redacted: false }];
  }
  if (type === 'tool-invocation') return invocation(part.toolInvocation, textAt(native, ['toolInvocation']) ?? native);
  if (type === 'dynamic-tool' && typeof part.toolName === 'string') return toolPart(part.toolName, part, native);
  if (type.startsWith('tool-') && typeof part.toolCallId === 'string')
    return toolPart(type.slice('tool-'.length), part, native);
  if (type === 'file') return [readMedia(part, ['mediaType', 'mimeType'], ['filename', 'name'], native)];
  return [{ type: 'unknown', native }];
}

function toolPart(name: string, part: JsonObject, native: string): Item[] {
  const callId = textMember(part, 'toolCallId');
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

function isUiMessage(value: unknown): boolean {
  if (!isObject(value) || typeof value.role !== 'string') return false;
  if (Array.isArray(value.toolInvocations)) return true;
  return (
    Array.isArray(value.parts) &&
    value.parts.length > 0 &&
    value.parts.every((part) => isObject(part) && typeof part.type === 'string')
  );
}
