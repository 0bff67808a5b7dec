import type { ContentBlock, Message } from '@skein/core';

/** The text that a search looks through: everything that a person sees of a message, with reasoning, calls and results. */
export function searchText(message: Message): string {
  const texts = message.content.map(blockSearchText);
  return texts.filter((text) => text !== '').join('\n');
}

function blockSearchText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return block.text;
    case 'tool-use':
      return `${block.name} ${block.rawParameters}`;
    case 'tool-result':
      return block.content.map((inner) => (inner.type === 'text' ? inner.text : '')).join(' ');
    default:
      block satisfies { type: 'media' | 'unknown' };
      return '';
  }
}

/**
 * Splits a text into words as a search compares them: letters and digits of any script, in lower case, without diacritics.
 *
 * @example
 * splitWords('Café, au lait!'); // ['cafe', 'au', 'lait']
 */
export function splitWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
