import {
  ensureMember,
  getMember,
  isJson,
  isObject,
  isText,
  type JsonObject,
  leafNode,
  listNode,
  type MergeRule,
  mergeDelta,
  parseJson,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  textAt,
  textNode,
} from '../../json/index.ts';
import type { Assembler } from '../dialect.ts';
import type { Stop } from '../reply.ts';
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
import { readStop, toReply } from './read-response.ts';

/** How many members events have that say nothing new beside their block or message. */
const MEMBERS: ReadonlyMap<unknown, number> = new Map([
  ['message_start', 2],
  ['content_block_start', 3],
  ['content_block_delta', 3],
  ['content_block_stop', 2],
]);

export function assemble(): Assembler {
  return new MessageAssembler();
}

/**
 * Assembly rule 1 of this dialect: `text` and `thinking` pieces join, a signature is set, citations append, the pieces
 * of `partial_json` become the `input` text, unknown members of a delta join the block by the merge rule, and what
 * is said of the message replaces what the start said.
 */
class MessageAssembler implements Assembler {
  /** Everything of the reply but its content, in the shape of the unstreamed one. */
  #envelope = recordNode();
  #isStarted = false;
  readonly #unread = new UnreadEvents();
  readonly #blocks: StreamBlock[] = [];
  readonly #byIndex = new Map<unknown, StreamBlock>();
  /** Where the last delta of plain text went. */
  #plain: { readonly index: unknown; readonly field: 'text' | 'thinking'; readonly block: StreamBlock } | undefined;
  #isEnded = false;
  #failure: Stop | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    return readEvent(this.#unread, event, data, (value) => {
      const type = value.type ?? event;
      const told = this.#read(type, data, value);
      const isPassing = isObject(value.delta) && PASSING in value.delta;
      if (told && (type === 'error' || isPassing || size(value) > (MEMBERS.get(type) ?? Infinity)))
        this.#unread.keep(event, data);
      return told;
    });
  }

  usual(): DeltaPattern | undefined {
    const { index, field, block } = this.#plain ?? {};
    if (!field || !block) return undefined;
    return {
      type: field === 'text' ? field : 'reasoning',
      pattern: `event: content_block_delta\ndata: \\{"type":"content_block_delta","index":${index},"delta":\\{"type":"${field}_delta","${field}":${TEXT}\\} *\\}`,
      add: (text) => block.append(field, text),
    };
  }

  finish(): ReturnType<Assembler['finish']> {
    const cut = !this.#isEnded;
    const last = this.#blocks.at(-1);
    const content = this.#blocks.map((block) => block.text(cut && block === last)).join(',');
    setMember(this.#envelope, 'content', leafNode('null'));
    const plain = printTree(this.#envelope);
    // Unread events may nest deeper in the envelope than anything is read.
    const envelope: RecordNode = { kind: 'record', members: [...this.#envelope.members] };
    this.#unread.addTo(envelope);
    const value = parseJson(plain) as JsonObject;
    const isCut = cut && typeof value.stop_reason !== 'string';
    const summary = value.stop_reason === 'compaction' ? parseJson(`[${content}]`) : undefined;
    const stop = this.#failure ?? (isCut ? { reason: 'cut', native: undefined } : readStop(value.stop_reason, summary));
    return { ...toReply(plain, value, `[${content}]`, stop), envelope: printTree(envelope), cut };
  }

  /** Undefined for an event that is not understood. */
  #read(type: unknown, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const { index, delta, content_block: block, message } = value;
    const treeOf = (name: string): RecordNode => parseTree(textAt(data, [name])!) as RecordNode;
    switch (type) {
      case 'content_block_delta':
        return isObject(delta) ? this.#delta(data, value, delta) : undefined;
      case 'content_block_start':
        return isObject(block) ? this.#begin(index, treeOf('content_block'), block) : undefined;
      case 'content_block_stop': {
        const known = this.#byIndex.get(index);
        if (known) known.isStopped = true;
        return known && [BOUNDARY];
      }
      case 'message_start':
        return isObject(message) && !this.#isStarted ? this.#start(treeOf('message'), message) : undefined;
      case 'message_delta':
      case 'message_stop': {
        this.#isEnded ||= type === 'message_stop';
        const { members } = parseTree(data) as RecordNode;
        const hasDelta = type === 'message_delta' && isObject(delta);
        if (hasDelta) update(this.#envelope, treeOf('delta'));
        const others = members.filter(({ name }) => name !== 'type' && !(hasDelta && name === 'delta'));
        update(this.#envelope, { kind: 'record', members: others });
        return NO_EVENTS;
      }
      case 'ping':
        return NO_EVENTS;
      case 'error': {
        const native = isObject(value.error) && isText(value.error.type) ? value.error.type : undefined;
        this.#failure = { reason: 'error', native };
        return [errorEvent(value.error, data)];
      }
      default:
        return undefined;
    }
  }

  #delta(data: string, value: JsonObject, delta: JsonObject): readonly StreamEvent[] | undefined {
    const { index } = value;
    const field = plainField(delta.type);
    // The text of a block whose start never came is still text.
    const begun =
      field && !this.#byIndex.has(index)
        ? this.#begin(index, parseTree(`{"type":"${field}","${field}":""}`) as RecordNode, { type: field })
        : NO_EVENTS;
    const block = this.#byIndex.get(index);
    if (!block || typeof delta.type !== 'string') return undefined;
    const piece = delta[field ?? 'partial_json'];
    const isPlain = typeof piece === 'string' && size(delta) === 2 && size(value) === 3;
    this.#plain = isPlain && field && Number.isSafeInteger(index) ? { index, field, block } : undefined;
    if (isPlain && field) block.append(field, escapedPiece(data, ['delta', field], piece));
    else if (typeof delta.partial_json === 'string') block.appendJson(delta.partial_json);
    if (!isPlain) block.merge(parseTree(textAt(data, ['delta'])!) as RecordNode);
    return [...begun, ...pieceEvents(field ?? block.type, index, piece)];
  }

  #begin(index: unknown, tree: RecordNode, value: JsonObject): StreamEvent[] {
    const last = this.#blocks.at(-1);
    const block = new StreamBlock(tree, value.type);
    this.#blocks.push(block);
    this.#byIndex.set(index, block);
    this.#plain = undefined;
    const begun = startEvents(index, value);
    // Blocks come one by one: what another follows is complete, though nothing said so.
    return last && !last.isStopped ? [BOUNDARY, ...begun] : begun;
  }

  #start(tree: RecordNode, { content: values }: JsonObject): readonly StreamEvent[] {
    const before = this.#envelope;
    const content = getMember(tree, 'content');
    this.#isStarted = true;
    this.#envelope = tree;
    setMember(tree, 'content', leafNode('null'));
    update(tree, before);
    if (content?.kind !== 'list' || !Array.isArray(values)) return NO_EVENTS;
    // Calls that running code makes come whole with the start (recorded).
    return content.items.flatMap((item, index) => {
      const block: unknown = values[index];
      return item.kind === 'record' && isObject(block) ? this.#begin(index, item, block) : [];
    });
  }
}

/** Strings that come whole; all other strings of a delta continue the block's own. */
const RULE: MergeRule = { replaced: new Set(['signature', 'encrypted_content']) };

/** A member of a delta that speaks of the delta, not of the block: a block that carries it is refused (`extra-block`). */
const PASSING = 'estimated_tokens';

/** One content block while it arrives. */
class StreamBlock {
  readonly type: unknown;
  isStopped = false;
  /** The decoded pieces of `partial_json`. */
  readonly #json: string[] = [];
  readonly #tree: RecordNode;

  constructor(tree: RecordNode, type: unknown) {
    this.#tree = tree;
    this.type = type;
  }

  /** An escaped piece of a string field: the way of nearly every event. */
  append(field: string, piece: string): void {
    ensureMember(this.#tree, field, textNode).pieces.push(piece);
  }

  appendJson(piece: string): void {
    this.#json.push(piece);
  }

  /** Any other delta: citations append, whatever is unknown joins by the merge rule. */
  merge({ members }: RecordNode): void {
    for (const { name, value } of members)
      if (name === 'citation') ensureMember(this.#tree, 'citations', listNode).items.push(value);
    const known = members.filter(({ name }) => !['type', 'citation', 'partial_json', PASSING].includes(name));
    mergeDelta(this.#tree, { kind: 'record', members: known }, RULE);
  }

  /** The block as far as it came. `isLast`: nothing followed it and the stream was cut. */
  text(isLast: boolean): string {
    const input = this.#input(isLast && !this.isStopped);
    if (input === undefined) return printTree(this.#tree);
    const whole: RecordNode = { kind: 'record', members: this.#tree.members.map((member) => ({ ...member })) };
    setMember(whole, 'input', leafNode(input));
    return printTree(whole);
  }

  /** Arguments that arrived in pieces; a string where they never became JSON, so that they show as incomplete. */
  #input(isOpen: boolean): string | undefined {
    const json = this.#json.join('');
    if (json.trim() !== '') return isJson(json) ? json : JSON.stringify(json);
    const given = getMember(this.#tree, 'input');
    return isOpen && given && printTree(given) === '{}' ? '""' : undefined;
  }
}

/** Later values replace earlier ones, those of `usage` one by one; `null` replaces nothing. */
function update(envelope: RecordNode, { members }: RecordNode): void {
  for (const { name, key, value } of members) {
    const before = getMember(envelope, name);
    if (name === 'usage' && value.kind === 'record' && before?.kind === 'record') update(before, value);
    else if (!before || value.kind !== 'leaf' || value.text !== 'null') setMember(envelope, name, value, key);
  }
}

/** The field of a block that a delta of one plain string continues. */
function plainField(delta: unknown): 'text' | 'thinking' | undefined {
  return delta === 'text_delta' ? 'text' : delta === 'thinking_delta' ? 'thinking' : undefined;
}

/** What a new piece of a block says; the arguments of server-side calls are nobody's to act on. */
function pieceEvents(type: unknown, index: unknown, text: unknown): StreamEvent[] {
  if (!isText(text)) return [];
  if (type === 'tool_use') return [{ type: 'tool-arguments', index: toNumber(index), text }];
  return type === 'text' || type === 'thinking' ? [{ type: type === 'text' ? type : 'reasoning', text }] : [];
}

/** What the start of a block says already. */
function startEvents(index: unknown, { type, id, name, input, text, thinking }: JsonObject): StreamEvent[] {
  if (type !== 'tool_use') return pieceEvents(type, index, type === 'text' ? text : thinking);
  const given = isObject(input) && size(input) > 0 && JSON.stringify(input);
  return [
    { type: 'tool-use', index: toNumber(index), id: isText(id) ? id : '', name: isText(name) ? name : '' },
    ...pieceEvents(type, index, given),
  ];
}

/** How many members an object has, without making a list of them. */
function size(value: JsonObject): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

function toNumber(index: unknown): number {
  return typeof index === 'number' ? index : 0;
}
