import type { ContentBlock, Message } from '@skein/core';
import type { Redact } from '../redact.ts';

/** A message in a few words: its text, or what it does instead. */
export function inWords({ content, text }: Message, redact: Redact, length: number): string {
  const said = text.trim() === '' ? content.map(blockInWords).filter(Boolean).join(', ') : text;
  return inOneLine(said, redact, length);
}

/** The front of a text, without what redaction hides. */
export function inOneLine(text: string, redact: Redact, length: number): string {
  // Hidden before it is cut: half a secret would not be recognised.
  return cut(redact(text).replace(/\s+/g, ' ').trim(), length);
}

function blockInWords(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool-use':
      return `calls ${block.name}`;
    case 'tool-result':
      return block.content.map(blockInWords).filter(Boolean).join(', ') || 'an empty result';
    case 'reasoning':
      return block.text === '' ? 'thinks' : `thinks: ${block.text}`;
    case 'media':
      return block.mediaType.split('/')[0] === 'application' ? 'document' : block.mediaType.split('/')[0]!;
    case 'refusal':
      return block.text;
    case 'unknown':
      return 'something of its provider’s own';
  }
}

/** At most so many UTF-16 units, and no half character at the end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
