import { parseJson } from '../json/index.ts';
import type { ContentBlock } from './blocks.ts';

/** The JSON text of one content block. Key order is fixed, so that the same block is always the same bytes. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return `{"type":"text","text":${JSON.stringify(block.text)}${citationsText(block.citations)}}`;
    case 'tool-use':
      return `{"type":"tool-use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"parameters":${parametersText(block.rawParameters ?? JSON.stringify(block.parameters))}}`;
    case 'tool-result':
      return `{"type":"tool-result","toolCallId":${JSON.stringify(block.toolCallId)},"isError":${block.isError},"content":${contentText(block.content)}}`;
    case 'unknown':
      return block.native;
    case 'reasoning':
      return JSON.stringify({ type: block.type, text: block.text, redacted: block.redacted });
    case 'media':
      return JSON.stringify({ type: block.type, mediaType: block.mediaType, source: block.source, name: block.name });
    case 'refusal':
      return JSON.stringify({ type: block.type, text: block.text });
    default:
      throw new TypeError(`${JSON.stringify(block)} is not a content block`);
  }
}

/** A message without content is written as one empty text, so that an empty answer or result is still a valid message. */
export function contentText(content: readonly ContentBlock[]): string {
  const blocks = content.length > 0 ? content : [{ type: 'text', text: '' } as const];
  return `[${blocks.map(blockText).join(',')}]`;
}

function citationsText(citations: readonly { readonly native: string }[] | undefined): string {
  return citations && citations.length > 0 ? `,"citations":[${citations.map(({ native }) => native).join(',')}]` : '';
}

function parametersText(raw: string): string {
  if (raw.trim() === '') return '{}';
  parseJson(raw);
  return raw;
}
