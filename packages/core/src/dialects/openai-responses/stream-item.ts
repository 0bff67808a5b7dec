import {
  type JsonObject,
  type ListNode,
  listNode,
  memberIn,
  parseTree,
  printTree,
  type RecordNode,
  type TextNode,
  type Tree,
  textNode,
} from '../../json/index.ts';
import type { Place } from './stream-places.ts';

/**
 * One output item while it arrives. Its text is that of `output_item.done`; until that comes, what
 * `output_item.added` announced with the pieces joined to it.
 */
export class StreamItem {
  readonly index: number;
  readonly id: unknown;
  readonly isCustom: boolean;
  readonly isAnnounced: boolean;
  /** Whether its text or arguments have been handed out while they arrived. */
  hasSpoken = false;
  done: string | undefined;
  readonly #tree: RecordNode;

  constructor(index: number, { id, type }: JsonObject, text: string, isAnnounced: boolean) {
    this.index = index;
    this.id = id;
    this.isCustom = type === 'custom_tool_call';
    this.isAnnounced = isAnnounced;
    this.#tree = parseTree(text) as RecordNode;
  }

  get text(): string {
    return this.done ?? printTree(this.#tree);
  }

  /** A string of the item or of one of its parts, made if there is none. Commands are strings in a list. */
  textOf({ list, part, member }: Place, index: unknown): TextNode {
    if (list !== undefined) return memberIn(this.part(list, index, part!), member, textNode);
    if (member !== 'command') return memberIn(this.#tree, member, textNode);
    return elementIn(memberIn(this.#tree, member, listNode), index, textNode);
  }

  part(list: string, index: unknown, type: string): RecordNode {
    return elementIn(memberIn(this.#tree, list, listNode), index, () => parseTree(`{"type":"${type}"}`) as RecordNode);
  }

  /** One that is only announced does not replace what there is. */
  setPart(list: string, index: unknown, part: RecordNode, isWhole: boolean): void {
    const parts = memberIn(this.#tree, list, listNode);
    const before = elementIn(parts, index, () => part);
    if (isWhole) parts.items[parts.items.indexOf(before)] = part;
  }

  /** Adds to a list of a content part, such as `annotations` or `logprobs`. */
  append(index: unknown, list: string, values: readonly Tree[]): void {
    memberIn(this.part('content', index, 'output_text'), list, listNode).items.push(...values);
  }
}

/** Lists grow by one at most: places that never came are not filled. */
function elementIn<T extends Tree>(list: ListNode, index: unknown, make: () => T): T {
  const made = make();
  const found = list.items[(index ?? 0) as number];
  if (found?.kind === made.kind) return found as T;
  list.items.push(made);
  return made;
}
