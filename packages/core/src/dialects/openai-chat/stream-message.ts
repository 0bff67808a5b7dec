import {
  find,
  getMember,
  isObject,
  isText,
  type JsonObject,
  leafNode,
  listNode,
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
import { escapedPiece, type StreamEvent } from '../stream/index.ts';
import { EMPTY_MESSAGE } from './rules.ts';
import { StreamedCalls } from './stream-calls.ts';
import { RULE } from './stream-rule.ts';
import { textPart } from './write-request.ts';

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
        if (name === 'function_call' && isObject(value)) tellLegacy(value, events);
      }
    }
  }

  /** The message as far as it came; a role that never came is the one every reply has. */
  print(): string {
    const { members } = this.#tree;
    if (members.length === 0) return EMPTY_MESSAGE;
    if (this.#texts.get('role')) return printTree(this.#tree);
    const others = members.filter(({ name }) => name !== 'role');
    return printTree({ kind: 'record', members: [{ name: 'role', value: leafNode('"assistant"') }, ...others] });
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

/** The older `function_call`: the only call of its message. */
function tellLegacy({ name, arguments: text }: JsonObject, events: StreamEvent[]): void {
  if (isText(name)) events.push({ type: 'tool-use', index: 0, id: '', name });
  if (isText(text)) events.push({ type: 'tool-arguments', index: 0, text });
}
