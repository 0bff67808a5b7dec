import type { Message } from '@skein/core';

/** The text that a search looks through: everything that a person sees of a message, with reasoning, calls and results. */
export function searchText(message: Message): string {
  const texts = message.content.map((block) => {
    if (block.type === 'text' || block.type === 'reasoning' || block.type === 'refusal') return block.text;
    if (block.type === 'tool-use') return `${block.name} ${block.rawParameters}`;
    if (block.type === 'tool-result')
      return block.content.map((inner) => (inner.type === 'text' ? inner.text : '')).join(' ');
    return '';
  });
  return texts.filter((text) => text !== '').join('\n');
}

/** Splits a text into words as a search compares them: letters and digits of any script, in lower case, without diacritics. */
export function splitWords(text: string): string[] {
  return (
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
