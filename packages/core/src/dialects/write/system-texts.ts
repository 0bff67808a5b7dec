import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { leftOut } from './left-out.ts';
import { stringText } from './text.ts';

/** What a system message of any origin says, as JSON strings; anything but text has no place there. */
export function systemTexts({ content }: Message, path: string, losses: LossNote[]): string[] {
  return content.flatMap((block, index) => {
    const at = `${path}.content[${index}]`;
    if (block.type === 'text' && block.text.trim() !== '') return [stringText(block.text, at, losses)];
    if (block.type !== 'text') losses.push(leftOut(block, at));
    return [];
  });
}
