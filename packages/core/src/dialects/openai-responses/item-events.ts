import type { StreamEvent } from '../stream/events.ts';
import { blocksOfItem } from './view.ts';

/** What a whole item says, for servers that send no deltas. A call that was announced is not announced again. */
export function eventsOfItem(text: string, value: unknown, index: number, isAnnounced: boolean): StreamEvent[] {
  return blocksOfItem({ value, text, start: 0, end: text.length }, index).flatMap((block): StreamEvent[] => {
    switch (block.type) {
      case 'text':
      case 'reasoning':
      case 'refusal':
        return block.text === '' ? [] : [{ type: block.type, text: block.text }];
      case 'tool-use': {
        const call: StreamEvent = { type: 'tool-use', index, id: block.id, name: block.name };
        const pieces: StreamEvent = { type: 'tool-arguments', index, text: block.rawParameters };
        return isAnnounced ? [pieces] : [call, pieces];
      }
      default:
        return [];
    }
  });
}
