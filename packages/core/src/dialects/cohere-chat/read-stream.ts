import {
  getMember,
  isObject,
  type JsonObject,
  leafNode,
  listNode,
  type MergeRule,
  mergeDelta,
  type Path,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  textAt,
} from '../../json/index.ts';
import type { Assembler } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import { BOUNDARY, errorEvent, NO_EVENTS, readEvent, type StreamEvent, UnreadEvents } from '../stream.ts';
import { readStop, readUsage } from './read-response.ts';

export function assemble(): Assembler {
  return new MessageAssembler();
}

/** Strings that come whole; all other strings of a delta continue what came before. */
const RULE: MergeRule = { replaced: new Set(['id', 'type', 'name', 'role']) };

/** The members that an event of each kind has. Whatever else it has is kept. */
const MEMBERS = new Set(['type', 'index', 'delta', 'id']);

/**
 * Assembly rule 1 of this dialect: the pieces of a part, of a call and of the plan join at their place, sources append,
 * lists and texts that stay empty are left out, the members of the message stand in the order in which they began, and those
 * of the last event make the envelope.
 */
class MessageAssembler implements Assembler {
  readonly #envelope = recordNode([
    { name: 'id', key: undefined, value: leafNode('null') },
    { name: 'message', key: undefined, value: leafNode('null') },
  ]);
  readonly #message = recordNode([{ name: 'role', key: undefined, value: leafNode('"assistant"') }]);
  readonly #unread = new UnreadEvents();
  readonly #parts = new Map<unknown, RecordNode>();
  readonly #calls = new Map<unknown, RecordNode>();
  readonly #citations: RecordNode[] = [];
  readonly #plan = recordNode();
  /** The members of the message in the order in which they began. */
  readonly #begun = new Set<string>();
  #stop: Stop | undefined;
  #failure: Stop | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    return readEvent(this.#unread, event, data, (value) => {
      const type = String(value.type ?? event);
      const told = this.#read(type, data, value);
      if (told && (Object.keys(value).some((name) => !MEMBERS.has(name)) || hasMore(type, value.delta)))
        this.#unread.keep(event, data);
      return told;
    });
  }

  finish(): ReturnType<Assembler['finish']> {
    const message = recordNode([...this.#message.members]);
    const members = {
      content: listNode([...this.#parts.values()]),
      tool_plan: getMember(this.#plan, 'tool_plan') ?? leafNode('""'),
      tool_calls: listNode([...this.#calls.values()]),
      citations: listNode(this.#citations),
    };
    for (const name of this.#begun) setMember(message, name, members[name as keyof typeof members]);
    const usage = getMember(this.#envelope, 'usage');
    const native = usage && printTree(usage);
    const envelope = recordNode([...this.#envelope.members]);
    this.#unread.addTo(envelope);
    return {
      choices: [{ raw: printTree(message), stop: this.#failure ?? this.#stop ?? { reason: 'cut', native: undefined } }],
      usage: native === undefined ? undefined : readUsage(JSON.parse(native), native),
      envelope: printTree(envelope),
      model: undefined,
      cut: !this.#stop,
    };
  }

  /** Undefined for an event that is not understood. */
  #read(type: string, data: string, value: JsonObject): readonly StreamEvent[] | undefined {
    const { index, delta } = value;
    const told = isObject(delta) && isObject(delta.message) ? delta.message : {};
    const tree = (name: string): RecordNode => parseTree(textAt(data, ['delta', 'message', name])!) as RecordNode;
    switch (type) {
      case 'message-start':
        return this.#start(data, told);
      case 'content-start':
      case 'content-delta':
        return isObject(told.content) ? this.#part(index, tree('content'), told.content) : undefined;
      case 'tool-plan-delta':
        if (typeof told.tool_plan !== 'string') return undefined;
        mergeDelta(this.#plan, parseTree(textAt(data, MESSAGE)!) as RecordNode, RULE);
        return told.tool_plan === ''
          ? NO_EVENTS
          : [...this.#begin('tool_plan'), { type: 'reasoning', text: told.tool_plan }];
      case 'tool-call-start':
      case 'tool-call-delta':
        return isObject(told.tool_calls) ? this.#call(index, tree('tool_calls'), told.tool_calls) : undefined;
      case 'citation-start':
        if (!isObject(told.citations)) return undefined;
        this.#citations.push(tree('citations'));
        this.#begun.add('citations');
        return NO_EVENTS;
      case 'content-end':
      case 'tool-call-end':
        return [BOUNDARY];
      case 'citation-end':
        return NO_EVENTS;
      case 'message-end':
        return isObject(delta) ? this.#end(parseTree(textAt(data, ['delta'])!) as RecordNode, delta) : undefined;
      case 'error':
        this.#failure = { reason: 'error', native: undefined };
        this.#unread.keep(type, data);
        return [errorEvent(value, data)];
      default:
        return undefined;
    }
  }

  /** The lists and texts of the start are empty: what they will hold comes in events of its own. */
  #start(data: string, message: JsonObject): readonly StreamEvent[] {
    const id = textAt(data, ['id']);
    if (id !== undefined) setMember(this.#envelope, 'id', leafNode(id));
    for (const { name, key, value } of (parseTree(textAt(data, MESSAGE) ?? '{}') as RecordNode).members)
      if (!LATER.has(name) || !isEmpty(message[name])) setMember(this.#message, name, value, key);
    return NO_EVENTS;
  }

  /** What another member follows is complete. */
  #begin(name: string): readonly StreamEvent[] {
    const isFirst = !this.#begun.has(name);
    this.#begun.add(name);
    return isFirst && this.#begun.size > 1 ? [BOUNDARY] : NO_EVENTS;
  }

  #part(index: unknown, tree: RecordNode, { text, thinking }: JsonObject): readonly StreamEvent[] {
    const known = this.#parts.get(index);
    if (known) mergeDelta(known, tree, RULE);
    else this.#parts.set(index, tree);
    // Part by part: what another follows is complete.
    const begun = this.#begin('content');
    const before = known || this.#parts.size < 2 ? begun : [BOUNDARY];
    if (typeof thinking === 'string' && thinking !== '') return [...before, { type: 'reasoning', text: thinking }];
    return typeof text === 'string' && text !== '' ? [...before, { type: 'text', text }] : before;
  }

  #call(index: unknown, tree: RecordNode, { id, function: called }: JsonObject): readonly StreamEvent[] {
    const known = this.#calls.get(index);
    if (known) mergeDelta(known, tree, RULE);
    else this.#calls.set(index, tree);
    this.#begun.add('tool_calls');
    const { name, arguments: piece } = isObject(called) ? called : {};
    const at = typeof index === 'number' ? index : 0;
    const begun: readonly StreamEvent[] = known
      ? NO_EVENTS
      : [
          {
            type: 'tool-use',
            index: at,
            id: typeof id === 'string' ? id : '',
            name: typeof name === 'string' ? name : '',
          },
        ];
    return typeof piece === 'string' && piece !== ''
      ? [...begun, { type: 'tool-arguments', index: at, text: piece }]
      : begun;
  }

  #end({ members }: RecordNode, delta: JsonObject): readonly StreamEvent[] {
    for (const { name, key, value } of members) setMember(this.#envelope, name, value, key);
    this.#stop ??= readStop(delta.finish_reason);
    return typeof delta.error === 'string'
      ? [errorEvent(delta.error, JSON.stringify({ message: delta.error }))]
      : NO_EVENTS;
  }
}

const MESSAGE: Path = ['delta', 'message'];

/** The member of the message that each event brings a piece of. */
const PIECES: Readonly<Record<string, string>> = {
  'content-start': 'content',
  'content-delta': 'content',
  'tool-plan-delta': 'tool_plan',
  'tool-call-start': 'tool_calls',
  'tool-call-delta': 'tool_calls',
  'citation-start': 'citations',
};

/** Whether an event has members that are no piece of the message: the message does not hold them. */
function hasMore(type: string, delta: unknown): boolean {
  if (!isObject(delta) || type === 'message-end') return false;
  const { message, ...others } = delta;
  const piece = PIECES[type];
  // What the start has of members that come in pieces is replaced by the pieces.
  const isHeld = (name: string, value: unknown): boolean =>
    piece === undefined ? !LATER.has(name) || isEmpty(value) : name === piece;
  const members = isObject(message) ? Object.entries(message) : [];
  return Object.keys(others).length > 0 || members.some(([name, value]) => !isHeld(name, value));
}

/** The members that come in pieces. */
const LATER = /* @__PURE__ */ new Set(Object.values(PIECES));

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}
