import { type ContentBlock, isObject, type JsonObject, type Message, textAt, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter, ImportedMessage } from '../importer.ts';
import {
  argumentsText,
  type ExactObject,
  otherMembers,
  readObject,
  readTime,
  textMember,
} from '../source/exact-json.ts';
import { readMedia, splitTurns, type ToolAnswer } from './source-conversation.ts';

/** The parent that LibreChat gives to first messages. */
const NO_PARENT = '00000000-0000-0000-0000-000000000000';

/** A conversation that LibreChat exports as JSON: a list of messages that name their parents, or a tree of them. */
export const libreChat: BuiltInImporter = {
  recognisedBy: 'objects with "conversationId" and "messages" or "messagesTree"',
  detects: ({ conversationId, messages, messagesTree }) =>
    typeof conversationId === 'string' && (Array.isArray(messages) || Array.isArray(messagesTree)),
  read(text, { file }) {
    const conversation = readObject(text, 'a conversation with "messages"');
    const { value } = conversation;
    const member = Array.isArray(value.messagesTree) ? 'messagesTree' : 'messages';
    const list = value[member];
    if (!Array.isArray(list)) throw wrongShape('a conversation with "messages" or "messagesTree"');
    const sources = flatten(list, textAt(text, [member])!);
    const known = new Set(sources.map(({ value: one }) => textMember(one, 'messageId')));
    const ends = new Map<string, string>();
    const messages = sources.flatMap((source, index): ImportedMessage[] => {
      const id = textMember(source.value, 'messageId') ?? `message ${index}`;
      const named = textMember(source.value, 'parentMessageId');
      const above = named === undefined || named === NO_PARENT || !known.has(named) ? undefined : ends.get(named);
      const written = writeMessages(source, file);
      ends.set(id, partKey(id, written.length - 1));
      const model = textMember(source.value, 'model');
      const author = source.value.isCreatedByUser === true ? {} : { author: 'model' as const, ...(model && { model }) };
      const at = readTime(source.value.createdAt);
      const extra = otherMembers(source, ['text', 'content', 'children', 'createdAt', 'files']);
      return written.map((message, part) => ({
        ...{ key: partKey(id, part), parent: part === 0 ? above : partKey(id, part - 1), message, at },
        take: { ...author, extra: part === 0 ? extra : { messageId: id, part } },
      }));
    });
    const times = messages.flatMap(({ at }) => at ?? []);
    return {
      id: textMember(value, 'conversationId')!,
      title: textMember(value, 'title') ?? '',
      ...(times.length > 0 && { createdAt: Math.min(...times), updatedAt: Math.max(...times) }),
      messages,
    };
  },
};

const partKey = (key: string, part: number) => (part === 0 ? key : `${key}#${part}`);

/** Parents before their children: a tree has children inside of messages. */
function flatten(list: readonly unknown[], text: string): ExactObject[] {
  return list.flatMap((one, index): ExactObject[] => {
    if (!isObject(one)) return [];
    const own = textAt(text, [index])!;
    const below = Array.isArray(one.children) ? flatten(one.children, textAt(own, ['children'])!) : [];
    return [{ value: one, text: own }, ...below];
  });
}

function writeMessages({ value, text }: ExactObject, file: Parameters<BuiltInImporter['read']>[1]['file']): Message[] {
  const items = readItems(value, text);
  if (value.isCreatedByUser !== true) return splitTurns(items);
  const files = (Array.isArray(value.files) ? value.files : []).flatMap((one, index): ContentBlock[] => {
    if (!isObject(one)) return [];
    const names = [textMember(one, 'file_id'), textMember(one, 'filename')].filter((name) => name !== undefined);
    const found = names.length > 0 ? file?.(...names) : undefined;
    const name = textMember(one, 'filename');
    if (found)
      return [
        {
          type: 'media',
          mediaType: found.mediaType,
          source: { kind: 'base64', data: found.data },
          ...(name && { name }),
        },
      ];
    if (names.length === 0) return [readMedia(one, ['type'], ['filename'], textAt(text, ['files', index])!)];
    const mediaType = textMember(one, 'type') ?? 'application/octet-stream';
    return [{ type: 'media', mediaType, source: { kind: 'file', id: names[0]! }, ...(name && { name }) }];
  });
  return [user([...files, ...items.filter((item): item is ContentBlock => !('result' in item))])];
}

type Item = ContentBlock | { readonly result: ToolAnswer };

function readItems(value: JsonObject, text: string): Item[] {
  const { content } = value;
  if (!Array.isArray(content) || content.length === 0) return [{ type: 'text', text: textMember(value, 'text') ?? '' }];
  return content.flatMap((part, index): Item[] => {
    const native = textAt(text, ['content', index])!;
    if (!isObject(part)) return [{ type: 'unknown', native }];
    const said = isObject(part.text) ? textMember(part.text, 'value') : textMember(part, 'text');
    if ((part.type === 'text' || part.type === 'error') && said !== undefined) return [{ type: 'text', text: said }];
    if (part.type === 'think' && typeof part.think === 'string')
      return [{ type: 'reasoning', text: part.think, redacted: false }];
    const call = part.type === 'tool_call' && isObject(part.tool_call) ? part.tool_call : undefined;
    const id = call && textMember(call, 'id');
    const name = call && textMember(call, 'name');
    if (!call || id === undefined || name === undefined) return [{ type: 'unknown', native }];
    const rawParameters = argumentsText(call.args, textAt(native, ['tool_call', 'args']));
    const use = { type: 'tool-use', id, name, parameters: {}, rawParameters } as const;
    const output = textMember(call, 'output');
    return output === undefined ? [use] : [use, { result: { callId: id, content: output, isError: false } }];
  });
}
