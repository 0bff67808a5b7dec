import { type ContentBlock, isObject, type JsonObject, type Message, system, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter, ImportedMessage } from '../importer.ts';
import { argumentsText, otherMembers, readObject, readTime, textMember } from '../source/exact-json.ts';
import { splitTurns, type ToolAnswer } from './source-conversation.ts';

/**
 * A conversation file of LM Studio (`….conversation.json`): messages in their order, each in one or more versions. The other
 * versions of a message are branches.
 */
export const lmStudio: BuiltInImporter = {
  recognisedBy: '"messages" with "versions"',
  detects: ({ messages }) =>
    Array.isArray(messages) && messages.some((one) => isObject(one) && Array.isArray(one.versions)),
  read(text, { file }) {
    const conversation = readObject(text, 'a conversation with "messages"');
    const { value } = conversation;
    if (!Array.isArray(value.messages)) throw wrongShape('a conversation with "messages"');
    const createdAt = readTime(value.createdAt);
    const messages: ImportedMessage[] = [];
    let head: string | undefined;
    const prompt = textMember(value, 'systemPrompt');
    if (prompt) {
      head = 'system';
      messages.push({ key: head, parent: undefined, message: system(prompt), at: createdAt });
    }
    for (const [index, one] of value.messages.entries()) {
      const versions = isObject(one) && Array.isArray(one.versions) ? one.versions.filter(isObject) : [];
      const selected = Number(isObject(one) ? one.currentlySelected : 0) || 0;
      let next = head;
      for (const [number, version] of versions.entries()) {
        const key = (part: number) => `${index}.${number}.${part}`;
        const written = writeVersion(version, key(0), file);
        const model = modelOf(version);
        const author = version.role === 'assistant' ? { author: 'model' as const, ...(model && { model }) } : {};
        for (const [part, message] of written.entries())
          messages.push({ key: key(part), parent: part === 0 ? head : key(part - 1), message, take: author });
        if (number === selected && written.length > 0) next = key(written.length - 1);
      }
      head = next;
    }
    const about = otherMembers(conversation, ['messages', 'name', 'createdAt', 'systemPrompt']);
    const [first, ...rest] = messages;
    return {
      title: textMember(value, 'name') ?? '',
      ...(createdAt !== undefined && { createdAt }),
      ...(createdAt !== undefined && { id: `${createdAt}` }),
      messages: first ? [{ ...first, take: { ...first.take, extra: { conversation: about } } }, ...rest] : [],
      ...(head !== undefined && { head }),
    };
  },
};

type FindFile = Parameters<BuiltInImporter['read']>[1]['file'];
type Item = ContentBlock | { readonly result: ToolAnswer };

function writeVersion(version: JsonObject, key: string, file: FindFile): Message[] {
  const steps = Array.isArray(version.steps) ? version.steps.filter(isObject) : [version];
  const items = steps.flatMap((step) => {
    // Reasoning is a block of its own, which the page folds.
    const isThought = isObject(step.style) && step.style.type === 'thinking';
    const content = Array.isArray(step.content) ? step.content : [];
    return content.flatMap((part) => readPart(part, key, isThought, file));
  });
  const blocks = items.filter((item): item is ContentBlock => !('result' in item));
  if (version.role === 'assistant') return items.length === 0 ? [] : splitTurns(items);
  return blocks.length === 0 ? [] : [version.role === 'system' ? system(blocks) : user(blocks)];
}

function readPart(part: unknown, key: string, isThought: boolean, file: FindFile): Item[] {
  if (!isObject(part)) return [];
  if (part.type === 'text' && typeof part.text === 'string')
    return [isThought ? { type: 'reasoning', text: part.text, redacted: false } : { type: 'text', text: part.text }];
  const id = textMember(part, 'fileIdentifier');
  if (part.type === 'file' && id !== undefined) {
    const found = file?.(id);
    const mediaType = found?.mediaType ?? (part.fileType === 'image' ? 'image/*' : 'application/octet-stream');
    const source = found ? ({ kind: 'base64', data: found.data } as const) : ({ kind: 'file', id } as const);
    return [{ type: 'media', mediaType, source, name: found?.name ?? id }];
  }
  const call = String(part.toolCallRequestId ?? part.toolCallId ?? part.callId ?? key);
  if (part.type === 'toolCallRequest' && typeof part.name === 'string')
    return [
      {
        ...{ type: 'tool-use', id: call, name: part.name, parameters: {} },
        rawParameters: argumentsText(part.parameters, JSON.stringify(part.parameters ?? {})),
      },
    ];
  if (part.type === 'toolCallResult') {
    const content = typeof part.content === 'string' ? part.content : JSON.stringify(part.content ?? '');
    return [{ result: { callId: call, content, isError: false } }];
  }
  return [{ type: 'unknown', native: JSON.stringify(part) }];
}

function modelOf({ steps, senderInfo }: JsonObject): string | undefined {
  for (const step of Array.isArray(steps) ? steps : []) {
    const info = isObject(step) && isObject(step.genInfo) ? step.genInfo : undefined;
    const model = info && (textMember(info, 'identifier') ?? textMember(info, 'indexedModelIdentifier'));
    if (model !== undefined) return model;
  }
  return isObject(senderInfo) ? textMember(senderInfo, 'senderName') : undefined;
}
