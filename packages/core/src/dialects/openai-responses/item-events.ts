import type { StreamEvent } from '../stream/index.ts';
import type { Item } from './items.ts';
import { blocksOfItem } from './view.ts';

/** What a whole item says, for servers that send no deltas. */
export function eventsOfItem(item: Item, index: number): StreamEvent[] {
  const blocks = blocksOfItem(item, 'assistant', () => '') ?? [];
  return blocks.flatMap((block): StreamEvent[] => {
    if (block.type === 'tool-use')
      return [
        { type: 'tool-use', index, id: block.id, name: block.name },
        { type: 'tool-arguments', index, text: block.rawParameters },
      ];
    const isSaid = block.type === 'text' || block.type === 'reasoning' || block.type === 'refusal';
    return isSaid && block.text !== '' ? [{ type: block.type, text: block.text }] : [];
  });
}
