import type { Message } from '../message/index.ts';

/** Whether a message says anything. */
export function hasContent({ content }: Message): boolean {
  return content.some((block) => {
    if (block.type === 'reasoning') return block.redacted || block.text !== '';
    return block.type === 'text' ? block.text.trim() !== '' : true;
  });
}
