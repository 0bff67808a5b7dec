import { isObject, isText, type JsonObject } from '../../json/index.ts';
import type { StreamEvent } from '../stream/index.ts';

/** The field of a block that a delta of one plain string continues. */
export function plainField(delta: unknown): 'text' | 'thinking' | undefined {
  return delta === 'text_delta' ? 'text' : delta === 'thinking_delta' ? 'thinking' : undefined;
}

/** What a new piece of a block says; the arguments of server-side calls are nobody's to act on. */
export function pieceEvents(type: unknown, index: unknown, text: unknown): StreamEvent[] {
  if (!isText(text)) return [];
  if (type === 'tool_use') return [{ type: 'tool-arguments', index: numberOf(index), text }];
  return type === 'text' || type === 'thinking' ? [{ type: type === 'text' ? type : 'reasoning', text }] : [];
}

/** What the start of a block says already. */
export function startEvents(index: unknown, { type, id, name, input, text, thinking }: JsonObject): StreamEvent[] {
  if (type !== 'tool_use') return pieceEvents(type, index, type === 'text' ? text : thinking);
  const given = isObject(input) && size(input) > 0 && JSON.stringify(input);
  return [
    { type: 'tool-use', index: numberOf(index), id: isText(id) ? id : '', name: isText(name) ? name : '' },
    ...pieceEvents(type, index, given),
  ];
}

/** How many members an object has, without making a list of them. */
export function size(value: JsonObject): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

function numberOf(index: unknown): number {
  return typeof index === 'number' ? index : 0;
}
