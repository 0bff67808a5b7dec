import { assistant, type ContentBlock, isObject, type JsonObject, system, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter, ImportedMessage } from '../importer.ts';
import { objectAt, otherMembers, readObject, readTime, textMember } from '../source/exact-json.ts';
import { toMedia } from './source-conversation.ts';

/** Chats that Open WebUI exports: a list of them, each with a tree of messages by id. */
export const openWebui: BuiltInImporter = {
  recognisedBy: 'objects with "chat" that has "history"',
  detects: ({ chat }) => isObject(chat) && isObject(chat.history),
  read(text) {
    const exported = readObject(text, 'a chat with "chat"');
    const chat = objectAt(exported, 'chat');
    const history = chat && objectAt(chat, 'history');
    const byId = history && objectAt(history, 'messages');
    if (!chat || !history || !byId) throw wrongShape('a chat with "history" and its "messages"');
    const sources = Object.entries(byId.value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
    const messages = sources.map(([key, message]) => readMessage(key, message, byId.value));
    const { value } = exported;
    const head = textMember(history.value, 'currentId');
    const createdAt = readTime(value.created_at) ?? readTime(chat.value.timestamp);
    const updatedAt = readTime(value.updated_at) ?? createdAt;
    const tags = [value.archived === true ? 'archived' : '', ...readTags(value.meta), ...readTags(chat.value)];
    const about = otherMembers(exported, ['chat', 'title', 'created_at', 'updated_at']);
    return {
      ...(textMember(value, 'id') && { id: textMember(value, 'id')! }),
      title: textMember(value, 'title') ?? textMember(chat.value, 'title') ?? '',
      ...(createdAt !== undefined && { createdAt }),
      ...(updatedAt !== undefined && { updatedAt }),
      tags: [...new Set(tags.filter((tag) => tag !== ''))],
      messages: messages.map((message) =>
        message.parent === undefined
          ? { ...message, take: { ...message.take, extra: { ...message.take?.extra, conversation: about } } }
          : message,
      ),
      ...(head !== undefined && head in byId.value && { head }),
    };
  },
};

function readTags(value: unknown): string[] {
  const tags = isObject(value) && Array.isArray(value.tags) ? value.tags : [];
  return tags.flatMap((tag) =>
    typeof tag === 'string' ? [tag] : isObject(tag) ? (textMember(tag, 'name') ?? []) : [],
  );
}

function readMessage(key: string, value: JsonObject, byId: JsonObject): ImportedMessage {
  const named = textMember(value, 'parentId');
  const parent = named !== undefined && isObject(byId[named]) ? named : undefined;
  const { role } = value;
  const blocks = [...readFiles(value.files), ...readText(textMember(value, 'content') ?? '')];
  const model = textMember(value, 'model');
  const extra = Object.fromEntries(
    Object.entries(value).filter(
      ([name, member]) =>
        member !== null && !['content', 'files', 'parentId', 'childrenIds', 'timestamp', 'role'].includes(name),
    ),
  );
  const message = role === 'assistant' ? assistant(blocks) : role === 'system' ? system(blocks) : user(blocks);
  const author = role === 'assistant' ? { author: 'model' as const, ...(model && { model }) } : {};
  return { key, parent, message, at: readTime(value.timestamp), take: { ...author, extra } };
}

/** Open WebUI writes reasoning into the text, as a fold. */
function readText(content: string): ContentBlock[] {
  const [fold, thought] =
    /^\s*<details type="reasoning"[^>]*>\s*(?:<summary>.*?<\/summary>)?(.*?)<\/details>\s*/s.exec(content) ?? [];
  if (fold === undefined) return [{ type: 'text', text: content }];
  const lines = (thought ?? '')
    .trim()
    .split('\n')
    .map((line) => line.replace(/^(?:&gt;|>) ?/, ''));
  return [
    { type: 'reasoning', text: lines.join('\n'), redacted: false },
    { type: 'text', text: content.slice(fold.length) },
  ];
}

function readFiles(files: unknown): ContentBlock[] {
  if (!Array.isArray(files)) return [];
  return files.flatMap((file): ContentBlock[] => {
    if (!isObject(file)) return [];
    const url = textMember(file, 'url');
    const name = textMember(file, 'name');
    if (url?.startsWith('data:')) return [toMedia(url, undefined, name)];
    const id = textMember(file, 'id') ?? url;
    if (id === undefined) return [];
    const mediaType = file.type === 'image' ? 'image/*' : 'application/octet-stream';
    return [{ type: 'media', mediaType, source: { kind: 'file', id }, ...(name && { name }) }];
  });
}
