import {
  ensureMember,
  type JsonObject,
  type ListNode,
  listNode,
  parseJson,
  parseTree,
  printTree,
  type RecordNode,
  type TextNode,
  type Tree,
  textNode,
} from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import { readItem } from './view.ts';

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
    if (list !== undefined) return ensureMember(this.part(list, index, part!), member, textNode);
    if (member !== 'command') return ensureMember(this.#tree, member, textNode);
    return elementIn(ensureMember(this.#tree, member, listNode), index, textNode);
  }

  part(list: string, index: unknown, type: string): RecordNode {
    return elementIn(
      ensureMember(this.#tree, list, listNode),
      index,
      () => parseTree(`{"type":"${type}"}`) as RecordNode,
    );
  }

  /** One that is only announced does not replace what there is. */
  setPart(list: string, index: unknown, part: RecordNode, isWhole: boolean): void {
    const parts = ensureMember(this.#tree, list, listNode);
    const before = elementIn(parts, index, () => part);
    if (isWhole) parts.items[parts.items.indexOf(before)] = part;
  }

  /** Adds to a list of a content part, such as `annotations` or `logprobs`. */
  append(index: unknown, list: string, values: readonly Tree[]): void {
    ensureMember(this.part('content', index, 'output_text'), list, listNode).items.push(...values);
  }
}

/** What an item shows. */
export function toBlocks(text: string): readonly ContentBlock[] {
  return readItem({ text, value: parseJson(text) }, 'assistant', () => '') ?? [{ type: 'unknown', native: text }];
}

/** Lists grow by one at most: places that never came are not filled. */
function elementIn<T extends Tree>(list: ListNode, index: unknown, make: () => T): T {
  const made = make();
  const found = list.items[(index ?? 0) as number];
  if (found?.kind === made.kind) return found as T;
  list.items.push(made);
  return made;
}

/** Where a streamed string belongs: in an item, or in a part of one of its lists. */
export interface Place {
  /** The type of item, for events whose item was never announced. */
  readonly item: string;
  readonly list?: string;
  /** The type of part, for one that was never announced. */
  readonly part?: string;
  readonly member: string;
  readonly says?: 'text' | 'reasoning' | 'refusal' | 'tool-arguments';
}

/** By the name of the event: the type of item, its list, the type of part, the member of that part, what it says. */
const TEXTS = [
  ['output_text', 'message', 'content', 'output_text', 'text', 'text'],
  ['refusal', 'message', 'content', 'refusal', 'refusal', 'refusal'],
  ['reasoning_text', 'reasoning', 'content', 'reasoning_text', 'text', 'reasoning'],
  ['reasoning_summary_text', 'reasoning', 'summary', 'summary_text', 'text', 'reasoning'],
] as const;

/** The place of what `response.<name>.delta` brings. Strings of calls are named after the item and its member. */
export function findPlace(name: string): Place | undefined {
  const text = TEXTS.find(([known]) => known === name);
  if (text) {
    const [, item, list, part, member, says] = text;
    return { item, list, part, member, says };
  }
  const [, item, member] = /^(\w+_call)_(?:operation_)?(\w+)$/.exec(name) ?? [];
  if (item === undefined || member === undefined) return undefined;
  const isCalled = item === 'function_call' || item === 'custom_tool_call';
  return { item, member, ...(isCalled && { says: 'tool-arguments' }) };
}

/** How server-side tools get on, previews of images, signs of life: what they lead to comes with the item. */
export const PROGRESS = /^response\.\w+_(?:call|list_tools|output_content)\.\w+$|^keepalive$/;

export const TERMINAL = /^response\.(?:completed|incomplete|failed|cancelled)$/;
