import {
  getMember,
  type ListNode,
  listNode,
  mergeDelta,
  type RecordNode,
  recordNode,
  setMember,
  type TextNode,
  type Tree,
  textNode,
} from '../../json/index.ts';
import { RULE } from './stream-rule.ts';

/** Adds streamed content where either side is a list of parts, as Mistral sends it: adjacent plain parts join. */
export function joinContent(before: Tree | undefined, value: ListNode | TextNode): ListNode {
  const list = before?.kind === 'list' ? before : listNode();
  if (before?.kind === 'text') addPart(list, textPart(before));
  for (const part of value.kind === 'list' ? value.items : [textPart(value)]) addPart(list, part);
  return list;
}

function textPart(text: TextNode): RecordNode {
  const part = recordNode();
  setMember(part, 'type', textNode('text'));
  setMember(part, 'text', text);
  return part;
}

function addPart(list: ListNode, part: Tree): void {
  const text = plainText(part);
  if (text && text.pieces.join('') === '') return;
  const last = list.items.at(-1);
  const before = last && plainText(last);
  if (text && before) for (const piece of text.pieces) before.pieces.push(piece);
  else if (last && isOpenThought(last) && isThought(part)) joinThought(last, part);
  else list.items.push(part);
}

/** The text of a part that is nothing but text. */
function plainText(part: Tree): TextNode | undefined {
  if (part.kind !== 'record' || part.members.length !== 2 || memberText(part, 'type') !== 'text') return undefined;
  const text = getMember(part, 'text');
  return text?.kind === 'text' ? text : undefined;
}

function isThought(part: Tree): part is RecordNode {
  return part.kind === 'record' && memberText(part, 'type') === 'thinking';
}

function isOpenThought(part: Tree): part is RecordNode {
  if (!isThought(part)) return false;
  const closed = getMember(part, 'closed');
  return !(closed?.kind === 'leaf' && closed.text === 'true');
}

function joinThought(thought: RecordNode, part: RecordNode): void {
  const before = getMember(thought, 'thinking');
  const value = getMember(part, 'thinking');
  const listed = before?.kind === 'list' && value?.kind === 'list';
  if (listed) for (const item of value.items) addPart(before, item);
  const members = listed ? part.members.filter(({ name }) => name !== 'thinking') : part.members;
  mergeDelta(thought, { kind: 'record', members }, RULE);
}

/**
 * Adds elements of `reasoning_details`. OpenRouter gives a summary and its ciphertext the same index, so a fragment
 * continues an element only if index, type and id agree.
 */
export function joinDetails(before: Tree | undefined, value: ListNode): ListNode {
  const list = before?.kind === 'list' ? before : listNode();
  for (const item of value.items) {
    const same = item.kind === 'record' ? list.items.findLast((other) => continues(other, item)) : undefined;
    if (same?.kind === 'record' && item.kind === 'record') mergeDelta(same, item, RULE);
    else list.items.push(item);
  }
  return list;
}

function continues(before: Tree, item: RecordNode): boolean {
  if (before.kind !== 'record' || !memberText(item, 'index')) return false;
  const id = memberText(item, 'id');
  const idBefore = memberText(before, 'id');
  return (
    memberText(before, 'index') === memberText(item, 'index') &&
    memberText(before, 'type') === memberText(item, 'type') &&
    (id === undefined || idBefore === undefined || id === idBefore)
  );
}

function memberText(record: RecordNode, name: string): string | undefined {
  const value = getMember(record, name);
  if (value?.kind === 'text') return value.pieces.join('');
  return value?.kind === 'leaf' && value.text !== 'null' ? value.text : undefined;
}
