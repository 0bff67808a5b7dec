import { type ContentBlock, type Message, textAt, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import { type Exact, membersWithout, readObject, readObjects, textIn, timeOf } from '../source/exact.ts';
import type { SourceMessage } from '../types.ts';
import { claudeBlocks, claudeFiles } from './claude-content.ts';
import { unknownMessage } from './line-up.ts';
import type { Reader } from './reader.ts';
import { turnsOf } from './turns.ts';

/** What the export names as the parent of a first message. */
const NO_PARENT = '00000000-0000-4000-8000-000000000000';

/** `conversations.json` of Claude's export. Messages that name their parents make branches; others follow each other. */
export const claude: Reader = {
  element: 'conversation',
  read(text) {
    const conversation = readObject(text, 'a conversation with "chat_messages"');
    const { value } = conversation;
    if (!Array.isArray(value.chat_messages)) throw wrongShape('a conversation with "chat_messages"');
    const sources = readObjects(textAt(text, ['chat_messages'])!, value.chat_messages, 'an object');
    const messages = messagesOf(sources);
    const about = membersWithout(conversation, ['chat_messages', 'name', 'created_at', 'updated_at']);
    const createdAt = timeOf(value.created_at);
    const updatedAt = timeOf(value.updated_at) ?? createdAt;
    const leaf = textIn(value, 'current_leaf_message_uuid');
    const head = leaf && messages.findLast(({ key }) => key === leaf || key.startsWith(`${leaf}#`))?.key;
    return {
      ...(textIn(value, 'uuid') && { id: textIn(value, 'uuid')! }),
      title: textIn(value, 'name') ?? '',
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

function messagesOf(sources: readonly Exact[]): SourceMessage[] {
  const ends = new Map<string, string>();
  const read = sources.map((source, index) => {
    const key = textIn(source.value, 'uuid') ?? `message ${index}`;
    const messages = writtenBy(source, key);
    ends.set(key, keyOf(key, messages.length - 1));
    return { source, key, messages };
  });
  const named = sources.some(({ value }) => textIn(value, 'parent_message_uuid') !== undefined);
  return read.flatMap(({ source, key, messages }, index) => {
    const parent = named ? textIn(source.value, 'parent_message_uuid') : read[index - 1]?.key;
    const above = parent === undefined || parent === NO_PARENT ? undefined : (ends.get(parent) ?? parent);
    return messages.map((message, part) =>
      sourceMessage(source, message, keyOf(key, part), part, part === 0 ? above : keyOf(key, part - 1)),
    );
  });
}

function keyOf(key: string, part: number): string {
  return part === 0 ? key : `${key}#${part}`;
}

function sourceMessage(
  { text, value }: Exact,
  message: Message,
  key: string,
  part: number,
  parent: string | undefined,
): SourceMessage {
  const left = ['content', 'text', 'sender', 'created_at', 'attachments', 'files'];
  const extra = part === 0 ? membersWithout({ text, value }, left) : { uuid: value.uuid, part };
  const author = value.sender === 'assistant' ? ({ author: 'model', provider: 'anthropic' } as const) : {};
  return { key, parent, message, at: timeOf(value.created_at), take: { ...author, extra } };
}

function writtenBy(source: Exact, key: string): Message[] {
  const { value } = source;
  const said = claudeBlocks(source, key);
  if (value.sender === 'assistant') return turnsOf([...said, ...claudeFiles(source)]);
  if (value.sender !== 'human') return [unknownMessage(source.text)];
  const blocks = said.filter((item): item is ContentBlock => !('result' in item));
  return [user([...claudeFiles(source), ...blocks])];
}
