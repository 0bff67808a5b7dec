import {
  elementTexts,
  ensureMember,
  isObject,
  type JsonObject,
  type ListNode,
  leafNode,
  listNode,
  parseJson,
  parseTree,
  printTree,
  type RecordNode,
  removeMembers,
  setMember,
  skipSpace,
  splice,
  type TextNode,
  type Tree,
  textAt,
  textNode,
} from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import type { Assembler } from '../dialect.ts';
import {
  BOUNDARY,
  type DeltaPattern,
  errorEvent,
  escapedPiece,
  NO_EVENTS,
  readEvent,
  type StreamEvent,
  TEXT,
  UnreadEvents,
} from '../stream.ts';
import { readItem, toReply, turnText } from './read-response.ts';

/**
 * Puts a streamed response together. One source counts for each item, because the API encrypts anew for each event:
 * the terminal event (`response.completed`, `incomplete`, `failed`), else `output_item.done`, else what
 * `output_item.added` announced and the deltas brought.
 */
export function assemble(): Assembler {
  return new ResponseAssembler();
}

class ResponseAssembler implements Assembler {
  readonly #items: StreamItem[] = [];
  readonly #unread = new UnreadEvents();
  /** The response as the last event has it that carries one, and whether that was the terminal one. */
  #response = '{}';
  #isTerminal = false;
  #hasFailed = false;
  /** Where the last delta went: the next one nearly always goes there too. */
  #live: { type: string; index: unknown; part: unknown; item: StreamItem; place: Place; pieces: string[] } | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    if (data === '[DONE]') return NO_EVENTS;
    return readEvent(this.#unread, event, data, (value) => {
      const type = typeof value.type === 'string' ? value.type : (event ?? '');
      const told = this.#read(type, data, value);
      const error =
        !told && (type === 'error' || isObject(value.error)) ? [errorEvent(value.error ?? value, data)] : undefined;
      if (error) this.#hasFailed = true;
      const unread = error ? data : told && unreadPart(data, value);
      if (unread !== undefined) this.#unread.keep(event, unread);
      return told ?? error;
    });
  }

  usual(): DeltaPattern | undefined {
    const { type = '', index, part, pieces, place } = this.#live ?? {};
    const says = place?.says;
    if (!says || says === 'tool-arguments' || !Number.isSafeInteger(index) || !Number.isSafeInteger(part))
      return undefined;
    const name = type.replaceAll('.', '\\.');
    return {
      type: says,
      pattern: `event: ${name}\ndata: \\{"type":"${name}","sequence_number":(?:0|[1-9]\\d*),"item_id":"\\w*","output_index":${index},"(?:content|summary)_index":${part},"delta":${TEXT}(?:,"logprobs":\\[\\])?(?:,"obfuscation":"\\w*")?\\}`,
      add: (text) => pieces!.push(text),
    };
  }

  finish(): ReturnType<Assembler['finish']> {
    const response = parseJson(this.#response) as JsonObject;
    const streamed = this.#sorted().map((item) => item.text);
    const raw = turnText(this.#isTerminal ? settled(streamed, this.#response) : streamed);
    const envelope = parseTree(this.#response) as RecordNode;
    setMember(envelope, 'output', leafNode('null'));
    this.#unread.addTo(envelope);
    const reply = toReply(this.#response, response, raw, parseJson(raw) as unknown[], printTree(envelope));
    const cut = !this.#isTerminal;
    if (!cut && !this.#hasFailed) return { ...reply, cut };
    const native = this.#hasFailed && typeof response.status === 'string' ? response.status : undefined;
    return { ...reply, choices: [{ raw, stop: { reason: this.#hasFailed ? 'error' : 'cut', native } }], cut };
  }

  /** Undefined for an event that is not understood. */
  #read(type: string, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const { delta, item, part, response, output_index: index } = value;
    const at = value.content_index ?? value.summary_index ?? value.command_index;
    const live = this.#live;
    if (live?.type === type && live.index === index && live.part === at && typeof delta === 'string')
      return this.#delta(data, value, delta);
    if (isObject(response) && /^response\.\w+$/.test(type)) return this.#respond(type, data, response);
    const [, name = '', phase] = /^response\.(.+)\.(added|delta|done)$/.exec(type) ?? [];
    this.#live = undefined;
    if (name === 'output_item' && isObject(item)) return this.#item(data, value, item, phase === 'done');
    const list = name === 'content_part' ? 'content' : name === 'reasoning_summary_part' ? 'summary' : undefined;
    if (list && isObject(part)) {
      const owner = this.#itemFor(index, list === 'content' ? 'message' : 'reasoning');
      owner.setPart(list, at, parseTree(textAt(data, ['part'])!) as RecordNode, phase === 'done');
      return NO_EVENTS;
    }
    if (name === 'output_text.annotation' && 'annotation' in value) {
      this.#itemFor(index, 'message').append(at, 'annotations', [parseTree(textAt(data, ['annotation'])!)]);
      return NO_EVENTS;
    }
    const place = findPlace(name);
    const text = phase === 'delta' ? delta : value[place?.member ?? ''];
    if (!place || typeof text !== 'string') return PROGRESS.test(type) ? NO_EVENTS : undefined;
    const target = this.#itemFor(index, place.item);
    const { pieces } = target.textOf(place, at);
    if (phase === 'delta') {
      const isFirst = place.list !== undefined && pieces.every((piece) => piece === '');
      this.#live = { type, index, part: at, item: target, place, pieces };
      const told = this.#delta(data, value, text);
      return isFirst ? [BOUNDARY, ...told] : told;
    }
    pieces.splice(0, pieces.length, escapedPiece(data, [place.member], text));
    return NO_EVENTS;
  }

  #delta(data: string, value: JsonObject, text: string): readonly StreamEvent[] {
    const { item, part } = this.#live!;
    if (Array.isArray(value.logprobs) && value.logprobs.length > 0) {
      const probabilities = parseTree(textAt(data, ['logprobs'])!);
      if (probabilities.kind === 'list') item.append(part, 'logprobs', probabilities.items);
    }
    return this.#say(escapedPiece(data, ['delta'], text), text);
  }

  /** A custom tool takes free text; as arguments it is the one string in `{"input":"…"}`. */
  #say(piece: string, text: string): readonly StreamEvent[] {
    const { item, pieces, place } = this.#live!;
    pieces.push(piece);
    if (!place.says) return NO_EVENTS;
    const opening = item.isCustom && !item.hasSpoken ? '{"input":"' : '';
    item.hasSpoken = true;
    if (place.says !== 'tool-arguments') return [{ type: place.says, text }];
    return [{ type: place.says, index: item.index, text: item.isCustom ? opening + piece : text }];
  }

  #item(data: string, { output_index: index }: JsonObject, value: JsonObject, isDone: boolean): readonly StreamEvent[] {
    const text = textAt(data, ['item'])!;
    const last = this.#last(index);
    const open = last && last.done === undefined ? last : undefined;
    if (!isDone) {
      if (open && open.id === value.id) return NO_EVENTS;
      const item = this.#start(index, value, text, true);
      return toBlocks(text).flatMap((block) => callEvents(block, item.index));
    }
    const item = open ?? this.#start(index, value, text, false);
    item.done = text;
    if (!item.hasSpoken) return [...wholeEvents(text, item.index, item.isAnnounced), BOUNDARY];
    return item.isCustom ? [{ type: 'tool-arguments', index: item.index, text: '"}' }, BOUNDARY] : [BOUNDARY];
  }

  /** The response as it stands, or at its end. */
  #respond(type: string, data: string, response: JsonObject): readonly StreamEvent[] {
    const isEnd = TERMINAL.test(type);
    if (this.#isTerminal && !isEnd) return NO_EVENTS;
    this.#response = textAt(data, ['response'])!;
    if (!isEnd) return NO_EVENTS;
    const whole = this.#isTerminal ? [] : this.#untold(response.output);
    this.#isTerminal = true;
    if (response.status !== 'failed') return whole;
    this.#hasFailed = true;
    return [...whole, errorEvent(response.error ?? undefined, data)];
  }

  /** What items say that only the terminal event brings. */
  #untold(output: unknown): StreamEvent[] {
    if (!Array.isArray(output) || output.length <= this.#items.length) return [];
    const known = new Set(this.#items.map(({ text }) => readId(text)));
    const isNews = (text: string): boolean => !known.has(readId(text));
    return elementTexts(textAt(this.#response, ['output'])!).flatMap((text, at) =>
      isNews(text) ? wholeEvents(text, at, false) : [],
    );
  }

  #itemFor(index: unknown, type: string): StreamItem {
    const role = type === 'message' ? '"role":"assistant",' : '';
    return this.#last(index) ?? this.#start(index, { type }, `{"type":"${type}",${role}"status":"in_progress"}`, false);
  }

  #last(index: unknown): StreamItem | undefined {
    return typeof index === 'number' ? this.#items.findLast((item) => item.index === index) : this.#items.at(-1);
  }

  #sorted(): readonly StreamItem[] {
    return [...this.#items].sort((a, b) => a.index - b.index);
  }

  #start(index: unknown, value: JsonObject, text: string, isAnnounced: boolean): StreamItem {
    const item = new StreamItem(typeof index === 'number' ? index : this.#items.length, value, text, isAnnounced);
    this.#items.push(item);
    return item;
  }
}

/** What an item says that comes whole. */
function wholeEvents(text: string, index: number, isAnnounced: boolean): StreamEvent[] {
  return toBlocks(text).flatMap((block): StreamEvent[] => {
    if (block.type === 'tool-use') {
      const call = isAnnounced ? [] : callEvents(block, index);
      return [...call, { type: 'tool-arguments', index, text: block.rawParameters }];
    }
    if (block.type !== 'text' && block.type !== 'reasoning' && block.type !== 'refusal') return [];
    return block.text === '' ? [] : [BOUNDARY, { type: block.type, text: block.text }];
  });
}

function callEvents(block: ContentBlock, index: number): StreamEvent[] {
  return block.type === 'tool-use' ? [{ type: block.type, index, id: block.id, name: block.name }] : [];
}

/**
 * The items of the terminal event. Some servers leave out there what they streamed: then each streamed item takes the
 * final text of the same id where there is one, its own otherwise, and what fits none of them follows.
 */
function settled(streamed: readonly string[], response: string): readonly string[] {
  const output = textAt(response, ['output']);
  const final = output?.startsWith('[') ? elementTexts(output) : [];
  if (final.length >= streamed.length) return final;
  const byId = new Map(final.map((text) => [readId(text), text]));
  const items = streamed.map((text) => {
    const id = readId(text);
    const settledText = byId.get(id) ?? text;
    byId.delete(id);
    return settledText;
  });
  return [...items, ...byId.values()];
}

/** What has no id is itself. */
function readId(text: string): unknown {
  const value = parseJson(text);
  return isObject(value) && typeof value.id === 'string' ? value.id : text;
}

const KNOWN: ReadonlySet<string> = new Set(
  (
    'type sequence_number item_id output_index content_index summary_index command_index annotation_index obfuscation ' +
    'delta logprobs item part response annotation text refusal arguments input code command diff ' +
    'partial_image_b64 partial_image_index size quality background output_format'
  ).split(' '),
);

/** What is kept along with it. */
const PLACE: ReadonlySet<string> = new Set(['type', 'item_id']);

/**
 * What an event says that no reader knows, as an event of its own; undefined when there is nothing. It must not be the
 * whole event: that may hold the whole response.
 */
function unreadPart(data: string, event: JsonObject): string | undefined {
  const isRead = (name: string): boolean => KNOWN.has(name) && (name !== 'delta' || typeof event.delta === 'string');
  for (const name in event) {
    if (isRead(name)) continue;
    const read = removeMembers(data, skipSpace(data, 0), (other) => isRead(other) && !PLACE.has(other));
    return splice(data, read);
  }
  return undefined;
}

/**
 * One output item while it arrives. Its text is that of `output_item.done`; until that comes, what
 * `output_item.added` announced with the pieces joined to it.
 */
class StreamItem {
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
function toBlocks(text: string): readonly ContentBlock[] {
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
interface Place {
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
function findPlace(name: string): Place | undefined {
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
const PROGRESS = /^response\.\w+_(?:call|list_tools|output_content)\.\w+$|^keepalive$/;

const TERMINAL = /^response\.(?:completed|incomplete|failed|cancelled)$/;
