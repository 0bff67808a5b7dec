import {
  find,
  getMember,
  isObject,
  type JsonObject,
  leafNode,
  mergeDelta,
  type Path,
  parseTree,
  printTree,
  recordNode,
  setMember,
  type TextNode,
  type Tree,
} from '../../json/index.ts';
import type { StreamEvent } from '../stream/events.ts';
import { escapedPiece } from '../stream/piece.ts';
import { EMPTY_MESSAGE } from './native-message.ts';
import { printedPiece } from './printed-piece.ts';
import { StreamedCalls } from './stream-calls.ts';
import { joinContent, joinDetails } from './stream-lists.ts';
import { oneMember, RULE } from './stream-rule.ts';

/** Puts one message together from its deltas, member by member. */
export class StreamedMessage {
  readonly #tree = recordNode();
  readonly #calls = new StreamedCalls();
  /** Strings that grow: the plain delta adds a piece here and does nothing else. */
  readonly #growing = new Map<string, TextNode>();
  /** Strings that come whole: the same one again changes nothing. */
  readonly #whole = new Map<string, string>();

  /** `delta` is the value at `path` of the text. */
  add(data: string, path: Path, delta: JsonObject, events: StreamEvent[]): void {
    for (const name in delta) {
      const value = delta[name];
      if (typeof value === 'string') this.#addText(data, path, name, value);
      else if (value === null) {
        if (!getMember(this.#tree, name)) setMember(this.#tree, name, leafNode('null'));
      } else if (name === 'tool_calls' && Array.isArray(value)) {
        setMember(this.#tree, name, this.#calls.list);
        this.#calls.add(data, [...path, name], value, events);
      } else {
        this.#merge(name, treeAt(data, [...path, name]));
        if (name === 'function_call') legacyEvents(value, events);
      }
    }
  }

  /** The message as far as it came; a role that never came is the one every reply has. */
  print(): string {
    if (this.#tree.members.length === 0) return EMPTY_MESSAGE;
    if (this.#whole.get('role')) return printTree(this.#tree);
    const others = this.#tree.members.filter(({ name }) => name !== 'role');
    return printTree({ kind: 'record', members: [{ name: 'role', value: parseTree('"assistant"') }, ...others] });
  }

  #addText(data: string, path: Path, name: string, value: string): void {
    const growing = this.#growing.get(name);
    if (growing) {
      if (value !== '') growing.pieces.push(printedPiece(data, value) ?? escapedPiece(data, [...path, name], value));
      return;
    }
    if (this.#whole.get(name) === value) return;
    this.#merge(name, treeAt(data, [...path, name]));
    const node = getMember(this.#tree, name);
    if (RULE.replaced.has(name)) {
      if (value !== '') this.#whole.set(name, value);
    } else if (node?.kind === 'text') this.#growing.set(name, node);
  }

  #merge(name: string, value: Tree): void {
    const before = getMember(this.#tree, name);
    if (name === 'content' && (value.kind === 'list' || (value.kind === 'text' && before?.kind === 'list'))) {
      setMember(this.#tree, name, joinContent(before, value));
      this.#growing.delete(name);
    } else if (name === 'reasoning_details' && value.kind === 'list')
      setMember(this.#tree, name, joinDetails(before, value));
    else mergeDelta(this.#tree, oneMember(name, value), RULE);
  }
}

/** The older `function_call`: the only call of its message. */
function legacyEvents(value: unknown, events: StreamEvent[]): void {
  if (!isObject(value)) return;
  if (typeof value.name === 'string' && value.name !== '')
    events.push({ type: 'tool-use', index: 0, id: '', name: value.name });
  if (typeof value.arguments === 'string' && value.arguments !== '')
    events.push({ type: 'tool-arguments', index: 0, text: value.arguments });
}

function treeAt(data: string, path: Path): Tree {
  return parseTree(data, find(data, path)!.start);
}
