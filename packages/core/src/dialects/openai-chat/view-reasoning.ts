import { elementTexts, isObject, type JsonObject, memberOf, skipSpace } from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';

/**
 * The thoughts of a message, once each: compatible providers send them as `reasoning_content` or `reasoning`, and
 * OpenRouter sends the same text again, taken apart, as `reasoning_details`.
 */
export function reasoningBlocks(raw: string, message: JsonObject): ContentBlock[] {
  const plain = plainBlocks(message);
  const details = detailBlocks(raw, message);
  if (plain.length === 0) return details;
  return [...plain, ...details.filter((block) => block.type !== 'reasoning' || block.redacted)];
}

function plainBlocks({ reasoning_content: content, reasoning }: JsonObject): ContentBlock[] {
  const texts = [content, reasoning].filter((text): text is string => typeof text === 'string' && text !== '');
  return [...new Set(texts)].map((text) => ({ type: 'reasoning', text, redacted: false }));
}

function detailBlocks(raw: string, message: JsonObject): ContentBlock[] {
  const details = message.reasoning_details;
  if (!Array.isArray(details) || details.length === 0) return [];
  const texts = elementTexts(raw, memberOf(raw, skipSpace(raw, 0), 'reasoning_details')!.start);
  return details.map((detail: unknown, index) => detailBlock(detail) ?? { type: 'unknown', native: texts[index]! });
}

function detailBlock(detail: unknown): ContentBlock | undefined {
  if (!isObject(detail)) return undefined;
  if (detail.type === 'reasoning.encrypted') return { type: 'reasoning', text: '', redacted: true };
  const text = detailText(detail);
  return text === undefined ? undefined : { type: 'reasoning', text, redacted: false };
}

/** The readable text of one element of `reasoning_details`. */
export function detailText(detail: JsonObject): string | undefined {
  if (detail.type === 'reasoning.text') return typeof detail.text === 'string' ? detail.text : '';
  if (detail.type === 'reasoning.summary') return typeof detail.summary === 'string' ? detail.summary : '';
  return undefined;
}

/** Whether the thoughts carry anything only their maker can check or read. */
export function hasOpaqueReasoning({ reasoning_details: details }: JsonObject): boolean {
  if (!Array.isArray(details)) return false;
  return details.some(
    (detail: unknown) =>
      isObject(detail) && [detail.signature, detail.data].some((opaque) => typeof opaque === 'string' && opaque !== ''),
  );
}
