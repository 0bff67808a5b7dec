import { elementTexts, isObject, textAt } from '../../json/index.ts';
import { type ContentBlock, citationOf } from '../../message/index.ts';
import type { Item } from './items.ts';
import { mediaOf } from './media-view.ts';

/** What a message says or a tool put out: a string, a list of parts, or one part. */
export function blocksOfContent({ text, value }: Item): ContentBlock[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }];
  if (Array.isArray(value)) return elementTexts(text).map((part, index) => blockOfPart(part, value[index]));
  return value === null ? [] : [blockOfPart(text, value)];
}

function blockOfPart(native: string, part: unknown): ContentBlock {
  const unknown: ContentBlock = { type: 'unknown', native };
  if (!isObject(part)) return unknown;
  const { type, text, refusal, annotations } = part;
  if (type === 'refusal' && typeof refusal === 'string') return { type, text: refusal };
  if ((type !== 'output_text' && type !== 'input_text') || typeof text !== 'string') return mediaOf(part) ?? unknown;
  if (!Array.isArray(annotations) || annotations.length === 0) return { type: 'text', text };
  const sources = elementTexts(textAt(native, ['annotations'])!);
  return { type: 'text', text, citations: sources.map((source, index) => citationOf(source, annotations[index])) };
}
