import { elementsIn, isObject, isText, type JsonObject } from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';

/**
 * The thoughts of a message, once each: compatible providers send them as `reasoning_content` or `reasoning`, and
 * OpenRouter sends the same text again, taken apart, as `reasoning_details`.
 */
export function reasoningBlocks(raw: string, message: JsonObject): ContentBlock[] {
  const texts = new Set([message.reasoning_content, message.reasoning].filter(isText));
  const details = elementsIn(raw, message, 'reasoning_details', (detail, native): ContentBlock => {
    return detailBlock(detail) ?? { type: 'unknown', native };
  });
  return [
    ...[...texts].map((text): ContentBlock => ({ type: 'reasoning', text, redacted: false })),
    ...details.filter((block) => texts.size === 0 || block.type !== 'reasoning' || block.redacted),
  ];
}

export function detailBlock(detail: unknown): ContentBlock | undefined {
  const { type, text, summary } = isObject(detail) ? detail : {};
  if (!/^reasoning\.(?:text|summary|encrypted)$/.test(String(type))) return undefined;
  const said = text ?? summary;
  return { type: 'reasoning', text: isText(said) ? said : '', redacted: type === 'reasoning.encrypted' };
}

/** Whether the thoughts carry anything only their maker can check or read. */
export function hasOpaqueReasoning({ reasoning_details: details }: JsonObject): boolean {
  return (
    Array.isArray(details) &&
    details.some((detail: unknown) => isObject(detail) && (isText(detail.signature) || isText(detail.data)))
  );
}
