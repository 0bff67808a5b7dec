import { isObject, type JsonObject, parseTree, type RecordNode } from '../../json/index.ts';
import type { StreamEvent } from '../stream/index.ts';
import type { StreamBlock } from './stream-block.ts';

/** The field of a block that a delta of one plain string continues. */
export function plainField(delta: string): 'text' | 'thinking' | undefined {
  return delta === 'text_delta' ? 'text' : delta === 'thinking_delta' ? 'thinking' : undefined;
}

/** What a new piece says; the arguments of server-side calls are nobody's to act on. */
export function pieceEvents(
  block: StreamBlock,
  field: 'text' | 'thinking' | undefined,
  index: unknown,
  text: string,
): readonly StreamEvent[] {
  if (field) return [{ type: field === 'text' ? 'text' : 'reasoning', text }];
  return block.type === 'tool_use' ? [{ type: 'tool-arguments', index: numberOf(index), text }] : [];
}

/** What the start of a block says already. */
export function startEvents(index: unknown, block: JsonObject): StreamEvent[] {
  const { type, id, name, input, text, thinking } = block;
  if (type === 'text' && typeof text === 'string' && text !== '') return [{ type: 'text', text }];
  if (type === 'thinking' && typeof thinking === 'string' && thinking !== '')
    return [{ type: 'reasoning', text: thinking }];
  if (type !== 'tool_use') return [];
  const at = numberOf(index);
  const call: StreamEvent = { type: 'tool-use', index: at, id: stringOf(id), name: stringOf(name) };
  if (!isObject(input) || size(input) === 0) return [call];
  return [call, { type: 'tool-arguments', index: at, text: JSON.stringify(input) }];
}

/** How many members an object has, without making a list of them. */
export function size(value: JsonObject): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

/** An event that is known to be an object. */
export function recordOf(data: string): RecordNode {
  return parseTree(data) as RecordNode;
}

/** A member that is known to be an object. */
export function memberRecord(record: RecordNode, name: string): RecordNode {
  return record.members.findLast((member) => member.name === name)!.value as RecordNode;
}

export function membersBut(record: RecordNode, names: readonly string[]): RecordNode {
  return { kind: 'record', members: record.members.filter((member) => !names.includes(member.name)) };
}

function numberOf(index: unknown): number {
  return typeof index === 'number' ? index : 0;
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
