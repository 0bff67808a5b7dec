import { assistant, type ContentBlock, isObject, type JsonObject, system, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter, ImportedMessage } from '../importer.ts';
import { objectAt, otherMembers, readObject, readTime, textMember } from '../source/exact-json.ts';

/**
 * A chat of OpenRouter's page, versions 1 to 3 ("orpg"). Messages name their parents; from version 3 on, their contents are
 * items of the Responses protocol beside them.
 */
export const openRouter: BuiltInImporter = {
  recognisedBy: '"version" that begins with "orpg."',
  detects: ({ version }) => typeof version === 'string' && version.startsWith('orpg.'),
  read(text) {
    const chat = readObject(text, 'a chat with "version" and "messages"');
    const messages = objectAt(chat, 'messages');
    if (!messages) throw wrongShape('a chat with "messages"');
    const { value } = chat;
    const characters = isObject(value.characters) ? value.characters : {};
    const items = isObject(value.items) ? value.items : {};
    const sources = Object.entries(messages.value).flatMap(([key, message]) =>
      isObject(message) ? [{ key, message }] : [],
    );
    const ordered = sources.toSorted(
      (a, b) => (readTime(a.message.createdAt) ?? 0) - (readTime(b.message.createdAt) ?? 0),
    );
    const read = ordered.map(({ key, message }, index) => {
      const named = textMember(message, 'parentMessageId');
      const isNamed = sources.some((one) => textMember(one.message, 'parentMessageId') !== undefined);
      const parent = isNamed ? named : ordered[index - 1]?.key;
      return readMessage(
        key,
        message,
        parent !== undefined && parent in messages.value ? parent : undefined,
        characters,
        items,
      );
    });
    const times = read.flatMap(({ at }) => at ?? []);
    const about = otherMembers(chat, ['messages', 'items', 'title']);
    return {
      ...(times.length > 0 && { createdAt: Math.min(...times), updatedAt: Math.max(...times) }),
      title: textMember(value, 'title') ?? '',
      messages: read.map((message, index) =>
        index === 0
          ? { ...message, take: { ...message.take, extra: { ...message.take?.extra, conversation: about } } }
          : message,
      ),
    };
  },
};

function readMessage(
  key: string,
  message: JsonObject,
  parent: string | undefined,
  characters: JsonObject,
  items: JsonObject,
): ImportedMessage {
  const writer = textMember(message, 'characterId');
  const character = writer === undefined ? undefined : characters[writer];
  const type = textMember(message, 'type') ?? (writer === 'USER' ? 'user' : 'assistant');
  const blocks = readBlocks(message, items);
  const model = isObject(character) ? textMember(character, 'model') : undefined;
  const metadata = isObject(message.metadata) ? message.metadata : {};
  const cost = Number(metadata.cost ?? Number.NaN);
  const isModel = type === 'assistant';
  const written = isModel ? assistant(blocks) : type === 'system' ? system(blocks) : user(blocks);
  const take = {
    extra: { id: key, ...(Object.keys(metadata).length > 0 && { metadata }) },
    ...(isModel && { author: 'model' as const, provider: 'openrouter', ...(model && { model }) }),
    ...(isModel && Number.isFinite(cost) && { cost }),
  };
  return { key, parent, message: written, at: readTime(message.createdAt), take };
}

function readBlocks(message: JsonObject, items: JsonObject): ContentBlock[] {
  const said = textMember(message, 'content');
  if (said !== undefined || !Array.isArray(message.items)) {
    const thought = textMember(message, 'reasoning');
    return [
      ...(thought ? [{ type: 'reasoning', text: thought, redacted: false } as const] : []),
      { type: 'text', text: said ?? '' },
    ];
  }
  return message.items.flatMap((reference): ContentBlock[] => {
    const item = isObject(reference) ? items[String(reference.id)] : undefined;
    const data = isObject(item) && isObject(item.data) ? item.data : undefined;
    if (!data) return [];
    const texts = Array.isArray(data.content)
      ? data.content.flatMap((part) => (isObject(part) ? (textMember(part, 'text') ?? []) : []))
      : [textMember(data, 'content') ?? []].flat();
    if (data.type === 'reasoning') return [{ type: 'reasoning', text: texts.join('\n'), redacted: false }];
    if (data.type === 'message' || data.type === 'text') return texts.map((text) => ({ type: 'text', text }));
    return [{ type: 'unknown', native: JSON.stringify(data) }];
  });
}
