import { elementTexts, textAt } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { dropped } from '../write/notes.ts';
import { google } from './provider.ts';
import { textPart } from './write-parts.ts';

/** `systemInstruction` is a content (`system-type`): one that is alone and in this form is spliced by its exact text. */
export function systemText(messages: readonly Message[], losses: LossNote[]): string | undefined {
  const [only, ...more] = messages;
  const own = only && more.length === 0 ? ownContent(only) : undefined;
  if (own !== undefined) return own;
  const parts = messages.flatMap((message, index) => partsOf(message, `system[${index}]`, losses));
  return parts.length > 0 ? `{"parts":[${parts.join(',')}]}` : undefined;
}

function ownContent(message: Message): string | undefined {
  if (message.origin.dialect !== google.dialect) return undefined;
  const text = textAt(message.raw, ['content']);
  return text?.startsWith('{') ? text : undefined;
}

function partsOf(message: Message, path: string, losses: LossNote[]): readonly string[] {
  const own = ownContent(message);
  const list = own && textAt(own, ['parts']);
  if (list?.startsWith('[')) return elementTexts(list, 0);
  return message.content.flatMap((block, index) => {
    const at = `${path}.content[${index}]`;
    if (block.type !== 'text')
      losses.push(dropped(at, 'unknown-block', `a ${block.type} block has no place in a system text`));
    return block.type === 'text' && block.text !== '' ? [textPart(block.text, at, losses)] : [];
  });
}
