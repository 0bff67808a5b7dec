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
  textAt,
  textNode,
} from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import { blockEnd, type StreamEvent } from '../stream/events.ts';
import { itemType } from './items.ts';
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
  /** A message has a block for each of its parts, any other item is one block. */
  readonly isMessage: boolean;
  readonly isAssistant: boolean;
  readonly #type: unknown;
  readonly #tree: RecordNode;
  readonly #numbers: { next: number };
  readonly #blocks: { readonly index: number; told: string }[] = [];
  /** How many paragraphs of thoughts have begun. */
  #paragraphs = 0;

  constructor(index: number, value: JsonObject, text: string, isAnnounced: boolean, numbers: { next: number }) {
    const { id, type, role } = value;
    this.index = index;
    this.id = id;
    this.isCustom = type === 'custom_tool_call';
    this.isAnnounced = isAnnounced;
    this.isMessage = itemType(value) === 'message';
    this.isAssistant = role === 'assistant';
    this.#type = type;
    this.#tree = parseTree(text) as RecordNode;
    this.#numbers = numbers;
  }

  /** The number of the block that a part is, begun if it was not yet. A further part of a thought is a paragraph of it. */
  startPart(at: unknown, type: unknown, events: StreamEvent[]): number {
    const place = this.isMessage && typeof at === 'number' ? at : 0;
    const known = this.#blocks[place];
    if (known) {
      if (this.#type === 'reasoning' && typeof at === 'number' && at >= this.#paragraphs) {
        if (this.#paragraphs > 0) events.push({ type: 'break', index: known.index, text: '\n\n' });
        this.#paragraphs = at + 1;
      }
      return known.index;
    }
    const index = this.#numbers.next++;
    this.#blocks[place] = { index, told: '' };
    const kind = KINDS.get(this.isMessage && this.isAssistant ? type : this.#type) ?? 'unknown';
    events.push({ type: 'block-start', index, kind });
    return index;
  }

  /** Tells that a block is complete as a text of the item has it, once for each text of the block. */
  endPart(at: unknown, type: unknown, text: string, events: StreamEvent[]): void {
    const index = this.startPart(at, type, events);
    const known = this.#blocks.find((one) => one?.index === index)!;
    const place = this.#blocks.indexOf(known);
    const native = (this.isMessage && textAt(text, ['content', place])) || text;
    if (known.told !== native)
      events.push(
        blockEnd(
          index,
          () => toBlocks(text)[place] ?? { type: 'unknown', native },
          () => native,
        ),
      );
    known.told = native;
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

/** What the parts of a message show, and other items. */
const KINDS: ReadonlyMap<unknown, ContentBlock['type']> = new Map([
  ['output_text', 'text'],
  ['refusal', 'refusal'],
  ['reasoning', 'reasoning'],
  ['function_call', 'tool-use'],
  ['custom_tool_call', 'tool-use'],
  ['image_generation_call', 'media'],
]);

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
