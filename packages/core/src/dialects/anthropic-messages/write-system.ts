import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import { rewritten } from '../write/notes.ts';
import type { Target, Unit } from '../write/writer.ts';
import { leftOut } from './left-out.ts';
import { messageText, textPart, userUnit } from './write-units.ts';

/** A system message inside the conversation: in its native form, or as user text where the model refuses it (`system-role`). */
export function systemUnits(message: Message, target: Target): readonly Unit[] {
  const losses: LossNote[] = [];
  const parts = systemParts(message, 'content', losses);
  if (parts.length === 0) return [];
  if (forModel(target.provider.policies.inlineSystem, target.model) !== 'never')
    return [{ role: 'system', text: messageText('system', parts), calls: [], results: [], losses }];
  const note = rewritten('', 'inline-system', 'the model takes no system message here; it is sent as user text');
  return [userUnit(parts, [...losses, note])];
}

/** The texts of a system message as blocks. */
export function systemParts(message: Message, path: string, losses: LossNote[]): string[] {
  const parts: string[] = [];
  message.content.forEach((block, index) => {
    const at = `${path}[${index}]`;
    if (block.type !== 'text') losses.push(leftOut(block, at));
    else if (block.text.trim() !== '') parts.push(textPart(block.text, at, losses));
  });
  return parts;
}
