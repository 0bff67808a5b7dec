import {
  find,
  getMember,
  isJson,
  isObject,
  isText,
  type JsonObject,
  type ListNode,
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
  type TextNode,
  type Tree,
  type TreeMember,
} from '../../json/index.ts';
import { escapedPiece, type StreamEvent } from '../stream.ts';
import { EMPTY_MESSAGE, textPart } from './rules.ts';

/** Puts one message together from its deltas, member by member. */
export class StreamedMessage {
  readonly #tree = recordNode();
  readonly #calls = new StreamedCalls();
  /** Strings that grow, to which the plain delta adds a piece, and strings that come whole, again and again. */
  readonly #texts = new Map<string, TextNode | string>();

  /** `delta` is the value at `path` of the text. */
  add(data: string, path: Path, delta: JsonObject, events: StreamEvent[]): void {
    let tree: RecordNode | undefined;
    for (const name in delta) {
      const value = delta[name];
      const known = this.#texts.get(name);
      if (value === null ? getMember(this.#tree, name) : value === known) continue;
      if (typeof value === 'string' && typeof known === 'object') {
        known.pieces.push(escapedPiece(data, [...path, name], value));
      } else if (name === 'tool_calls' && Array.isArray(value)) {
        setMember(this.#tree, name, this.#calls.list);
        this.#calls.add(data, [...path, name], value, events);
      } else {
        tree ??= parseTree(data, find(data, path)!.start) as RecordNode;
        this.#merge(tree.members.findLast((member) => member.name === name)!);
        if (name === 'function_call' && isObject(value)) this.#tellLegacy(value, events);
      }
    }
  }

  /** The string of a member to which plain deltas add pieces, if it has one. */
  growing(name: string): TextNode | undefined {
    const known = this.#texts.get(name);
    return typeof known === 'object' ? known : undefined;
  }

  /** The message as far as it came; a role that never came is the one every reply has. */
  print(): string {
    const { members } = this.#tree;
    if (members.length === 0) return EMPTY_MESSAGE;
    if (this.#texts.get('role')) return printTree(this.#tree);
    const others = members.filter(({ name }) => name !== 'role');
    return printTree({ kind: 'record', members: [{ name: 'role', value: leafNode('"assistant"') }, ...others] });
  }

  /** The older `function_call`: the only call of its message. */
  #tellLegacy({ name, arguments: text }: JsonObject, events: StreamEvent[]): void {
    if (isText(name)) events.push({ type: 'tool-use', index: 0, id: '', name });
    if (isText(text)) events.push({ type: 'tool-arguments', index: 0, text });
  }

  #merge({ name, key, value }: TreeMember): void {
    const before = getMember(this.#tree, name);
    const isList = name === 'content' && (before?.kind === 'list' || value.kind === 'list');
    if (isList && before) setMember(this.#tree, name, asParts(before));
    mergeDelta(this.#tree, { kind: 'record', members: [{ name, key, value: isList ? asParts(value) : value }] }, RULE);
    const node = getMember(this.#tree, name);
    if (node?.kind !== 'text') this.#texts.delete(name);
    else this.#texts.set(name, RULE.replaced.has(name) ? (JSON.parse(printTree(node)) as string) : node);
  }
}

/** Content that was a string, where the rest of it comes as a list of parts. */
function asParts(value: Tree): Tree {
  if (value.kind !== 'text') return value;
  const text = printTree(value);
  return listNode(text === '""' ? [] : [parseTree(textPart(text))]);
}

interface Call {
  readonly record: RecordNode;
  readonly index: unknown;
  id: string;
  name: string;
  /** Where pieces of the arguments are added. */
  args: TextNode | undefined;
  isAnnounced: boolean;
}

/** Puts `tool_calls` together. The index of a fragment places it and is not kept, as in an unstreamed reply. */
class StreamedCalls {
  readonly list: ListNode = listNode();
  readonly #calls: Call[] = [];

  /** `fragments` is the list at `path` of the text. */
  add(data: string, path: Path, fragments: readonly unknown[], events: StreamEvent[]): void {
    fragments.forEach((fragment, at) => {
      const place = [...path, at];
      if (isObject(fragment)) this.#add(data, place, fragment, events);
      else this.list.items.push(parseTree(data, find(data, place)!.start));
    });
  }

  #add(data: string, place: Path, fragment: JsonObject, events: StreamEvent[]): void {
    const { id, function: called, custom } = fragment;
    const inner = isObject(called) ? called : isObject(custom) ? custom : {};
    const name = isText(inner.name) ? inner.name : '';
    const call = this.#readCall(fragment, name) ?? this.#begin(fragment.index);
    if (call.args && typeof inner.arguments === 'string' && isPlain(fragment, inner))
      call.args.pieces.push(escapedPiece(data, [...place, 'function', 'arguments'], inner.arguments));
    else merge(call, parseTree(data, find(data, place)!.start) as RecordNode);
    call.id ||= isText(id) ? id : '';
    call.name ||= name;
    const text = inner.arguments ?? inner.input;
    const index = this.#calls.indexOf(call);
    // A call is told as soon as its name is known, or its arguments come without one.
    if (call.name === '' && !isText(text)) return;
    if (!call.isAnnounced) events.push({ type: 'tool-use', index, id: call.id, name: call.name });
    call.isAnnounced = true;
    if (isText(text)) events.push({ type: 'tool-arguments', index, text });
  }

  /**
   * The call a fragment continues. Compatible providers leave the index out, or number every parallel call 0: then a
   * new id begins a new call, with an index only if a name comes with it, since some make up an id for each fragment.
   */
  #readCall({ index, id }: JsonObject, name: string): Call | undefined {
    const hasIndex = typeof index === 'number';
    const call = this.#calls.findLast((one) => (hasIndex ? one.index === index : !isText(id) || one.id === id));
    if (!call || name === '') return call;
    const isNew = isText(id) ? call.id !== '' && call.id !== id : !hasIndex && isJson(call.args?.pieces.join('') ?? '');
    return isNew ? undefined : call;
  }

  #begin(index: unknown): Call {
    const call: Call = { record: recordNode(), index, id: '', name: '', args: undefined, isAnnounced: false };
    this.#calls.push(call);
    this.list.items.push(call.record);
    return call;
  }
}

/** The usual fragment: an index and a piece of the arguments. */
function isPlain(fragment: JsonObject, called: JsonObject): boolean {
  for (const name in fragment) if (name !== 'index' && name !== 'function') return false;
  return Object.keys(called).length === 1;
}

/** The first id counts: it was told, and later ones may be made up. */
function merge(call: Call, { members }: RecordNode): void {
  const news = members.filter(({ name }) => name !== 'index' && (name !== 'id' || call.id === ''));
  mergeDelta(call.record, { kind: 'record', members: news }, RULE);
  const called = getMember(call.record, 'function');
  const args = called?.kind === 'record' ? getMember(called, 'arguments') : undefined;
  call.args = args?.kind === 'text' ? args : undefined;
}

/** How the deltas of this protocol join: these strings come whole, all others in pieces. */
export const RULE: MergeRule = {
  replaced: new Set(['role', 'id', 'type', 'name', 'format', 'signature', 'channel']),
  continued(list, items, item) {
    if (list === 'reasoning_details') return items.findLast((before) => isSameDetail(before, item)) ?? null;
    const last = items.at(-1);
    return (list === 'content' || list === 'thinking') && last && isSamePart(last, item) ? last : undefined;
  },
};

/** OpenRouter gives a summary and its ciphertext the same index, so index, type and id must agree. */
function isSameDetail(before: Tree, item: RecordNode): before is RecordNode {
  const isSame = (name: string): boolean => said(before, name) === said(item, name);
  return (
    said(item, 'index') !== undefined &&
    isSame('index') &&
    isSame('type') &&
    (isSame('id') || said(item, 'id') === undefined || said(before, 'id') === undefined)
  );
}

/** Mistral streams lists of parts: adjacent plain texts are one, and a thought goes on until it is closed. */
function isSamePart(before: Tree, item: RecordNode): before is RecordNode {
  const type = said(item, 'type');
  if (before.kind !== 'record' || said(before, 'type') !== type) return false;
  return type === '"text"'
    ? before.members.length === 2 && item.members.length === 2
    : type === '"thinking"' && said(before, 'closed') !== 'true';
}

function said(tree: Tree, name: string): string | undefined {
  const value = tree.kind === 'record' ? getMember(tree, name) : undefined;
  const text = value && printTree(value);
  return text === 'null' ? undefined : text;
}
