import { elementsOf, elementTexts, endOfValue, isObject, memberOf, type Range } from '../../json/index.ts';
import { type ContentBlock, citationOf } from '../../message/index.ts';
import { mediaOf } from './media-view.ts';

/** What a message says or a tool put out: a string or a list of parts, in the text at `start`. */
export function blocksOfContent(text: string, start: number, content: unknown): ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content))
    return elementsOf(text, start).map((range, index) => blockOfPart(text, range, content[index]));
  return [blockOfPart(text, { start, end: endOfValue(text, start) }, content)];
}

function blockOfPart(text: string, range: Range, part: unknown): ContentBlock {
  const native = text.slice(range.start, range.end);
  if (!isObject(part)) return { type: 'unknown', native };
  if (part.type === 'refusal' && typeof part.refusal === 'string') return { type: 'refusal', text: part.refusal };
  if ((part.type === 'output_text' || part.type === 'input_text') && typeof part.text === 'string') {
    const { annotations } = part;
    if (!Array.isArray(annotations) || annotations.length === 0) return { type: 'text', text: part.text };
    const citations = elementTexts(text, memberOf(text, range.start, 'annotations')!.start).map((citation, index) =>
      citationOf(citation, annotations[index]),
    );
    return { type: 'text', text: part.text, citations };
  }
  return mediaOf(part) ?? { type: 'unknown', native };
}
