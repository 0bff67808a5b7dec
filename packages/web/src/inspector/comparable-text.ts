import type { Block } from '../api/types.ts';
import { unknownText } from '../blocks/json-text.ts';

/** The content of a message as text that can be compared. */
export function comparableText(blocks: readonly Block[]): string {
  return blocks.map(blockText).filter(Boolean).join('\n\n');
}

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return block.text;
    case 'tool-use':
      return `${block.name} ${block.rawParameters}`;
    case 'tool-result':
      return comparableText(block.content);
    case 'media':
      return `[${block.mediaType}${block.name ? ` ${block.name}` : ''}]`;
    case 'unknown':
      return block.native;
    default:
      return unknownText(block);
  }
}
