import { elementTexts, find, isObject, type JsonObject } from '../../json/index.ts';
import type { StreamEvent } from '../stream/events.ts';
import type { StreamItem } from './stream-item.ts';
import type { PieceRule } from './stream-rules.ts';
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

/** A custom tool takes free text; as arguments it is the one string in `{"input":"…"}`. */
export function said(
  type: NonNullable<PieceRule['says']>,
  item: StreamItem,
  text: string,
  piece: string,
): StreamEvent[] {
  const opening = item.isCustom && !item.hasSpoken ? '{"input":"' : '';
  item.hasSpoken = true;
  if (type !== 'tool-arguments') return [{ type, text }];
  return [{ type, index: item.index, text: item.isCustom ? opening + piece : text }];
}

/** What a terminal event says that nothing came before. */
export function unseenEvents(text: string, { output }: JsonObject): readonly StreamEvent[] {
  if (!Array.isArray(output)) return [];
  const items = elementTexts(text, find(text, ['output'])!.start);
  return items.flatMap((item, index) => eventsOfItem(item, output[index], index, false));
}

export function errorMessage(value: JsonObject): string {
  const error = isObject(value.error) ? value.error : value;
  return typeof error.message === 'string' ? error.message : 'the provider reported an error';
}
