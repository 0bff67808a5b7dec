import { type ContentBlock, isObject, textAt } from '@skein/core';
import { argumentsText, type Exact, textIn } from '../source/exact.ts';
import type { Answered } from './turns.ts';

type Item = ContentBlock | { readonly result: Answered };

/** What a message says, in order; older exports have only its text. */
export function claudeBlocks({ text, value }: Exact, key: string): Item[] {
  const { content } = value;
  if (!Array.isArray(content) || content.length === 0) return [{ type: 'text', text: textIn(value, 'text') ?? '' }];
  // Older exports give calls no ids: a result then answers the last call.
  let lastCall = key;
  return content.map((block, index): Item => {
    const native = textAt(text, ['content', index])!;
    if (!isObject(block)) return { type: 'unknown', native };
    if (block.type === 'text' && typeof block.text === 'string') return textBlock(native, block.text, block.citations);
    if (block.type === 'thinking' && typeof block.thinking === 'string')
      return { type: 'reasoning', text: block.thinking, redacted: false };
    if (block.type === 'tool_use' && typeof block.name === 'string') {
      lastCall = textIn(block, 'id') ?? `${key}/${index}`;
      const rawParameters = argumentsText(block.input, textAt(native, ['input']));
      return { type: 'tool-use', id: lastCall, name: block.name, parameters: {}, rawParameters };
    }
    if (block.type === 'tool_result') {
      const callId = textIn(block, 'tool_use_id') ?? lastCall;
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

/** Attachments whose text was taken out are documents; of other files the export has only the name. */
export function claudeFiles({ text, value }: Exact): ContentBlock[] {
  const listed = (name: string) => (Array.isArray(value[name]) ? (value[name] as unknown[]) : []);
  const attachments = listed('attachments').map((item, index): ContentBlock => {
    const extracted = isObject(item) ? item.extracted_content : undefined;
    if (!isObject(item) || typeof extracted !== 'string')
      return { type: 'unknown', native: textAt(text, ['attachments', index])! };
    const data = Buffer.from(extracted, 'utf8').toString('base64');
    return { type: 'media', mediaType: 'text/plain', source: { kind: 'base64', data }, ...nameOf(item.file_name) };
  });
  const files = listed('files').map((item, index): ContentBlock => {
    const id = isObject(item) ? (textIn(item, 'file_uuid') ?? textIn(item, 'file_name')) : undefined;
    if (!isObject(item) || id === undefined) return { type: 'unknown', native: textAt(text, ['files', index])! };
    const isImage = item.file_kind === 'image' || /\.(png|jpe?g|gif|webp)$/i.test(String(item.file_name));
    const mediaType = isImage ? 'image/*' : 'application/octet-stream';
    return { type: 'media', mediaType, source: { kind: 'file', id }, ...nameOf(item.file_name) };
  });
  return [...attachments, ...files];
}

function nameOf(name: unknown): { name?: string } {
  return typeof name === 'string' && name !== '' ? { name } : {};
}
