import {
  ensureMember,
  getMember,
  isJson,
  isObject,
  type JsonObject,
  leafNode,
  listNode,
  type MergeRule,
  mergeDelta,
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
import { BOUNDARY, errorEvent, escapedPiece, NO_EVENTS, readEvent, type StreamEvent, UnreadEvents } from '../stream.ts';
import { DAMAGED } from './event-stream.ts';
import { readStop, readUsage } from './read-response.ts';
import { isServerTool } from './rules.ts';

export function assemble(): Assembler {
  return new MessageAssembler();
}

/** The members that an event of each kind has, with `p`, which only hides its length. Whatever else it has is kept. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  messageStart: ['p', 'role'],
  contentBlockStart: ['p', 'contentBlockIndex', 'start'],
  contentBlockDelta: ['p', 'contentBlockIndex', 'delta'],
  contentBlockStop: ['p', 'contentBlockIndex'],
};

/**
 * Assembly rule 1 of this dialect: pieces of text and of reasoning join, a signature is set, the pieces of `input` become
 * the call's `input`, results and citations append, unknown deltas join the block by the merge rule, and the other
 * members of the last two events make the envelope, in the shape of the unstreamed one.
 */
class MessageAssembler implements Assembler {
  readonly #envelope = recordNode([{ name: 'output', key: undefined, value: leafNode('{"message":null}') }]);
  readonly #unread = new UnreadEvents();
  readonly #blocks: StreamBlock[] = [];
  readonly #byIndex = new Map<unknown, StreamBlock>();
  #role = '"assistant"';
  #stop: Stop | undefined;
  #failure: Stop | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    return readEvent(this.#unread, event, data, (value) => {
      const told = this.#read(event ?? '', data, value);
      const known = MEMBERS[event ?? ''];
      if (told && known && Object.keys(value).some((name) => !known.includes(name))) this.#unread.keep(event, data);
      return told;
    });
  }

  finish(): ReturnType<Assembler['finish']> {
    const cut = !this.#stop;
    const last = this.#blocks.at(-1);
    const content = this.#blocks.map((block) => block.text(cut && block === last)).join(',');
    const usage = getMember(this.#envelope, 'usage');
    const native = usage && printTree(usage);
    const envelope = recordNode([...this.#envelope.members]);
    this.#unread.addTo(envelope);
    const stop = this.#failure ?? this.#stop ?? { reason: 'cut', native: undefined };
    return {
      choices: [{ raw: `{"role":${this.#role},"content":[${content}]}`, stop }],
      usage: native === undefined ? undefined : readUsage(JSON.parse(native), native),
      envelope: printTree(envelope),
      model: undefined,
      cut,
    };
  }

  /** Undefined for an event that is not understood. */
  #read(event: string, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const { contentBlockIndex: index, delta, start, stopReason } = value;
    switch (event) {
      case 'contentBlockDelta':
        return isObject(delta) ? this.#delta(index, delta, data) : undefined;
      case 'contentBlockStart':
        return isObject(start) ? this.#begin(index, parseTree(textAt(data, ['start'])!) as RecordNode) : undefined;
      case 'contentBlockStop': {
        const known = this.#byIndex.get(index);
        if (known) known.isStopped = true;
        return known && [BOUNDARY];
      }
      case 'messageStart':
        this.#role = textAt(data, ['role']) ?? this.#role;
        return NO_EVENTS;
      case 'messageStop':
        this.#keep(data);
        this.#stop ??= readStop(stopReason);
        return NO_EVENTS;
      case 'metadata':
        this.#keep(data);
        return NO_EVENTS;
      default:
        return isFailure(event) ? this.#fail(event, data, value) : undefined;
    }
  }

  /** The members of an event belong to the envelope, but for the padding. */
  #keep(data: string): void {
    for (const { name, key, value } of (parseTree(data) as RecordNode).members)
      if (name !== 'p') setMember(this.#envelope, name, value, key);
  }

  /** The frame's header says what kind of failure it is, so that kind is put beside the message. */
  #fail(event: string, data: string, value: JsonObject): readonly StreamEvent[] {
    this.#failure = { reason: 'error', native: event };
    this.#unread.keep(event, data);
    return [errorEvent(value, JSON.stringify({ code: event, ...value }))];
  }

  #delta(index: unknown, delta: JsonObject, data: string): readonly StreamEvent[] {
    // Text and reasoning have no start.
    const begun = this.#byIndex.has(index) ? NO_EVENTS : this.#begin(index, recordNode());
    return [...begun, ...this.#byIndex.get(index)!.add(delta, data)];
  }

  #begin(index: unknown, tree: RecordNode): readonly StreamEvent[] {
    const last = this.#blocks.at(-1);
    const block = new StreamBlock(tree, this.#blocks.length);
    this.#blocks.push(block);
    this.#byIndex.set(index, block);
    const begun = block.start();
    // Blocks come one by one: what another follows is complete, though nothing said so.
    return last && !last.isStopped ? [BOUNDARY, ...begun] : begun;
  }
}

/** In-stream exceptions, errors of the transport, and frames that cannot be read. */
function isFailure(event: string): boolean {
  return event === 'error' || event === DAMAGED || event.endsWith('Exception');
}

/** Strings that come whole; all other strings of a delta continue the block's own. */
const RULE: MergeRule = { replaced: new Set(['signature', 'redactedContent', 'toolUseId', 'name', 'type', 'status']) };

/** One content block while it arrives. */
class StreamBlock {
  /** Its place among the blocks of the reply. */
  readonly number: number;
  isStopped = false;
  /** Whether it calls a tool of the client. */
  #isCall = false;
  /** The decoded pieces of a call's `input`. */
  readonly #json: string[] = [];
  readonly #tree: RecordNode;

  constructor(tree: RecordNode, number: number) {
    this.#tree = tree;
    this.number = number;
  }

  /** What its beginning says already: which tool it calls. */
  start(): readonly StreamEvent[] {
    const value = JSON.parse(printTree(this.#tree)) as JsonObject;
    const { toolUse } = value;
    this.#isCall = isObject(toolUse) && typeof toolUse.name === 'string' && !isServerTool(value);
    if (!this.#isCall) return NO_EVENTS;
    const { toolUseId: id, name } = toolUse as JsonObject;
    return [{ type: 'tool-use', index: this.number, id: typeof id === 'string' ? id : '', name: String(name) }];
  }

  add(delta: JsonObject, data: string): readonly StreamEvent[] {
    const { text, reasoningContent: thought, toolUse } = delta;
    if (typeof text === 'string' && isAlone(delta)) {
      this.#textOwner().pieces.push(escapedPiece(data, ['delta', 'text'], text));
      return text === '' ? NO_EVENTS : [{ type: 'text', text }];
    }
    if (isObject(thought) && typeof thought.text === 'string' && isAlone(thought) && isAlone(delta)) {
      const inner = ensureMember(ensureMember(this.#tree, 'reasoningContent', recordNode), 'reasoningText', recordNode);
      const path = ['delta', 'reasoningContent', 'text'];
      ensureMember(inner, 'text', textNode).pieces.push(escapedPiece(data, path, thought.text));
      return thought.text === '' ? NO_EVENTS : [{ type: 'reasoning', text: thought.text }];
    }
    if (isObject(toolUse) && typeof toolUse.input === 'string' && isAlone(toolUse) && isAlone(delta)) {
      this.#json.push(toolUse.input);
      const isTold = this.#isCall && toolUse.input !== '';
      return isTold ? [{ type: 'tool-arguments', index: this.number, text: toolUse.input }] : NO_EVENTS;
    }
    this.#merge(parseTree(textAt(data, ['delta'])!) as RecordNode);
    return NO_EVENTS;
  }

  /** The block as far as it came. `isLast`: nothing followed it and the stream was cut. */
  text(isLast: boolean): string {
    const call = getMember(this.#tree, 'toolUse');
    if (call?.kind !== 'record') return printTree(this.#tree);
    const json = this.#json.join('');
    const isOpen = isLast && !this.isStopped;
    // A string where they never became JSON, so that they show as incomplete.
    const input = json.trim() === '' ? (isOpen ? '""' : '{}') : isJson(json) ? json : JSON.stringify(json);
    if (json.trim() === '' && !isOpen && getMember(call, 'input')) return printTree(this.#tree);
    const whole = recordNode(call.members.map((member) => ({ ...member })));
    setMember(whole, 'input', leafNode(input));
    return printTree(
      recordNode(
        this.#tree.members.map((member) => (member.name === 'toolUse' ? { ...member, value: whole } : member)),
      ),
    );
  }

  /** Where the text of the block is: text with sources has it one level deeper. */
  #textOwner(): ReturnType<typeof textNode> {
    const cited = getMember(this.#tree, 'citationsContent');
    const content = cited?.kind === 'record' ? getMember(cited, 'content') : undefined;
    const inner = content?.kind === 'list' ? content.items[0] : undefined;
    return ensureMember(inner?.kind === 'record' ? inner : this.#tree, 'text', textNode);
  }

  /** Any other delta: a signature, ciphertext, results, sources, or what nobody knows. */
  #merge({ members }: RecordNode): void {
    for (const { name, key, value } of members) {
      if (name === 'citation') this.#cite().items.push(value);
      else if (name === 'toolResult' && value.kind === 'list') {
        const list = ensureMember(ensureMember(this.#tree, 'toolResult', recordNode), 'content', listNode);
        list.items.push(...value.items);
      } else if (name === 'toolUse' && value.kind === 'record') {
        const input = getMember(value, 'input');
        if (input?.kind === 'text') this.#json.push(JSON.parse(printTree(input)) as string);
        const others = value.members.filter((member) => member.name !== 'input' || input?.kind !== 'text');
        mergeDelta(ensureMember(this.#tree, 'toolUse', recordNode), recordNode(others), RULE);
      } else if (name === 'reasoningContent' && value.kind === 'record') this.#think(value);
      else mergeDelta(this.#tree, recordNode([{ name, key, value }]), RULE);
    }
  }

  /** Text and signature are one level deeper in the block than in its pieces. */
  #think({ members }: RecordNode): void {
    const thought = ensureMember(this.#tree, 'reasoningContent', recordNode);
    const isShown = ({ name }: { readonly name: string }): boolean => name === 'text' || name === 'signature';
    const shown = members.filter(isShown);
    if (shown.length > 0) mergeDelta(ensureMember(thought, 'reasoningText', recordNode), recordNode(shown), RULE);
    mergeDelta(thought, recordNode(members.filter((member) => !isShown(member))), RULE);
  }

  /** Text becomes text with sources when the first one comes. */
  #cite(): ReturnType<typeof listNode> {
    const known = getMember(this.#tree, 'citationsContent');
    if (known?.kind === 'record') return ensureMember(known, 'citations', listNode);
    const text = getMember(this.#tree, 'text') ?? textNode();
    const at = this.#tree.members.findIndex(({ name }) => name === 'text');
    if (at >= 0) this.#tree.members.splice(at, 1);
    const cited = ensureMember(this.#tree, 'citationsContent', recordNode);
    setMember(cited, 'content', listNode([recordNode([{ name: 'text', key: undefined, value: text }])]));
    return ensureMember(cited, 'citations', listNode);
  }
}

/** Whether an object has one member. */
function isAlone(value: JsonObject): boolean {
  return Object.keys(value).length === 1;
}
