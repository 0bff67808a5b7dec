import { type ContentBlock, isObject, type Message, textAt, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter, ImportedMessage } from '../importer.ts';
import {
  argumentsText,
  type ExactObject,
  otherMembers,
  readObject,
  readObjects,
  readTime,
  textMember,
} from '../source/exact-json.ts';
import { splitTurns, type ToolAnswer, unknownMessage } from './source-conversation.ts';

/** The parent that the export gives to first messages. */
const NO_PARENT = '00000000-0000-4000-8000-000000000000';

/**
 * `conversations.json` of Claude's export. If messages name their parents, they form branches; otherwise they follow
 * each other.
 */
export const claude: BuiltInImporter = {
  recognisedBy: 'objects with "chat_messages"',
  detects: ({ chat_messages: list }) => Array.isArray(list),
  read(text, { file }) {
    const conversation = readObject(text, 'a conversation with "chat_messages"');
    const { value } = conversation;
    if (!Array.isArray(value.chat_messages)) throw wrongShape('a conversation with "chat_messages"');
    const sources = readObjects(textAt(text, ['chat_messages'])!, value.chat_messages, 'an object');
    const messages = readMessages(sources, file);
    const about = otherMembers(conversation, ['chat_messages', 'name', 'created_at', 'updated_at']);
    const createdAt = readTime(value.created_at);
    const updatedAt = readTime(value.updated_at) ?? createdAt;
    const leaf = textMember(value, 'current_leaf_message_uuid');
    const head = leaf && messages.findLast(({ key }) => key === leaf || key.startsWith(`${leaf}#`))?.key;
    return {
      ...(textMember(value, 'uuid') && { id: textMember(value, 'uuid')! }),
      title: textMember(value, 'name') ?? '',
      ...(createdAt !== undefined && { createdAt }),
      ...(updatedAt !== undefined && { updatedAt }),
      messages: messages.map((message, index) =>
        index === 0
          ? { ...message, take: { ...message.take, extra: { ...message.take?.extra, conversation: about } } }
          : message,
      ),
      ...(head !== undefined && { head }),
    };
  },
};

type FindFile = Parameters<BuiltInImporter['read']>[1]['file'];

function readMessages(sources: readonly ExactObject[], file: FindFile): ImportedMessage[] {
  const ends = new Map<string, string>();
  const read = sources.map((source, index) => {
    const key = textMember(source.value, 'uuid') ?? `message ${index}`;
    const messages = writeMessages(source, key, file);
    ends.set(key, partKey(key, messages.length - 1));
    return { source, key, messages };
  });
  const named = sources.some(({ value }) => textMember(value, 'parent_message_uuid') !== undefined);
  return read.flatMap(({ source, key, messages }, index) => {
    const parent = named ? textMember(source.value, 'parent_message_uuid') : read[index - 1]?.key;
    const above = parent === undefined || parent === NO_PARENT ? undefined : (ends.get(parent) ?? parent);
    return messages.map((message, part) =>
      sourceMessage(source, message, partKey(key, part), part, part === 0 ? above : partKey(key, part - 1)),
    );
  });
}

function partKey(key: string, part: number): string {
  return part === 0 ? key : `${key}#${part}`;
}

function sourceMessage(
  { text, value }: ExactObject,
  message: Message,
  key: string,
  part: number,
  parent: string | undefined,
): ImportedMessage {
  const left = ['content', 'text', 'sender', 'created_at', 'attachments', 'files'];
  const extra = part === 0 ? otherMembers({ text, value }, left) : { uuid: value.uuid, part };
  const author = value.sender === 'assistant' ? ({ author: 'model', provider: 'anthropic' } as const) : {};
  return { key, parent, message, at: readTime(value.created_at), take: { ...author, extra } };
}

function writeMessages(source: ExactObject, key: string, file: FindFile): Message[] {
  const { value } = source;
  const said = readBlocks(source, key);
  if (value.sender === 'assistant') return splitTurns([...said, ...readFiles(source, file)]);
  if (value.sender !== 'human') return [unknownMessage(source.text)];
  const blocks = said.filter((item): item is ContentBlock => !('result' in item));
  return [user([...readFiles(source, file), ...blocks])];
}

type Item = ContentBlock | { readonly result: ToolAnswer };

/** Reads the blocks of a message; older exports have only its text. */
function readBlocks({ text, value }: ExactObject, key: string): Item[] {
  const { content } = value;
  if (!Array.isArray(content) || content.length === 0) return [{ type: 'text', text: textMember(value, 'text') ?? '' }];
  // In older exports calls have no ids; a result then belongs to the last call.
  let lastCall = key;
  return content.map((block, index): Item => {
    const native = textAt(text, ['content', index])!;
    if (!isObject(block)) return { type: 'unknown', native };
    if (block.type === 'text' && typeof block.text === 'string') return textBlock(native, block.text, block.citations);
    if (block.type === 'thinking' && typeof block.thinking === 'string')
      return { type: 'reasoning', text: block.thinking, redacted: false };
    if (block.type === 'tool_use' && typeof block.name === 'string') {
      lastCall = textMember(block, 'id') ?? `${key}/${index}`;
      const rawParameters = argumentsText(block.input, textAt(native, ['input']));
      return { type: 'tool-use', id: lastCall, name: block.name, parameters: {}, rawParameters };
    }
    if (block.type === 'tool_result') {
      const callId = textMember(block, 'tool_use_id') ?? lastCall;
      return { result: { callId, content: resultBlocks(native, block.content), isError: block.is_error === true } };
    }
    return { type: 'unknown', native };
  });
}

function textBlock(native: string, said: string, citations: unknown): ContentBlock {
  if (!Array.isArray(citations) || citations.length === 0) return { type: 'text', text: said };
  const natives = citations.map((_, index) => ({ native: textAt(native, ['citations', index])! }));
  return { type: 'text', text: said, citations: natives };
}

function resultBlocks(native: string, content: unknown): string | ContentBlock[] {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content.map((item, index) =>
    isObject(item) && item.type === 'text' && typeof item.text === 'string' && Object.keys(item).length === 2
      ? { type: 'text', text: item.text }
      : { type: 'unknown', native: textAt(native, ['content', index])! },
  );
}

/** Attachments with extracted text become documents; other files are taken from the archive, if it has them. */
function readFiles({ text, value }: ExactObject, file: FindFile): ContentBlock[] {
  const listed = (name: string) => (Array.isArray(value[name]) ? (value[name] as unknown[]) : []);
  const attachments = listed('attachments').map((item, index): ContentBlock => {
    const extracted = isObject(item) ? item.extracted_content : undefined;
    if (!isObject(item) || typeof extracted !== 'string')
      return { type: 'unknown', native: textAt(text, ['attachments', index])! };
    const data = Buffer.from(extracted, 'utf8').toString('base64');
    return { type: 'media', mediaType: 'text/plain', source: { kind: 'base64', data }, ...namePart(item.file_name) };
  });
  const files = listed('files').map((item, index): ContentBlock => {
    const id = isObject(item) ? (textMember(item, 'file_uuid') ?? textMember(item, 'file_name')) : undefined;
    if (!isObject(item) || id === undefined) return { type: 'unknown', native: textAt(text, ['files', index])! };
    const found = file?.(...(typeof item.file_name === 'string' ? [id, item.file_name] : [id]));
    if (found)
      return {
        type: 'media',
        mediaType: found.mediaType,
        source: { kind: 'base64', data: found.data },
        ...namePart(item.file_name),
      };
    const isImage = item.file_kind === 'image' || /\.(png|jpe?g|gif|webp)$/i.test(String(item.file_name));
    const mediaType = isImage ? 'image/*' : 'application/octet-stream';
    return { type: 'media', mediaType, source: { kind: 'file', id }, ...namePart(item.file_name) };
  });
  return [...attachments, ...files];
}

function namePart(name: unknown): { name?: string } {
  return typeof name === 'string' && name !== '' ? { name } : {};
}
