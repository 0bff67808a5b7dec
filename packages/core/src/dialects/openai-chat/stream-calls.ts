import {
  find,
  getMember,
  isJson,
  isObject,
  type JsonObject,
  type ListNode,
  listNode,
  mergeDelta,
  type Path,
  parseTree,
  type RecordNode,
  setMember,
  type TextNode,
  type Tree,
} from '../../json/index.ts';
import type { StreamEvent } from '../stream/events.ts';
import { printedPiece } from './printed-piece.ts';
import { oneMember, RULE } from './stream-rule.ts';

interface Call {
  readonly record: RecordNode;
  readonly position: number;
  id: string;
  name: string;
  /** Where pieces of the arguments are added. */
  arguments: TextNode | undefined;
  announced: boolean;
}

/** Puts `tool_calls` together. The index of a fragment places it and is not kept, as in an unstreamed reply. */
export class StreamedCalls {
  readonly list: ListNode = listNode();
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();

  /** `fragments` is the list at `path` of the text. */
  add(data: string, path: Path, fragments: readonly unknown[], events: StreamEvent[]): void {
    for (let at = 0; at < fragments.length; at++) {
      const fragment = fragments[at];
      if (!isObject(fragment)) this.list.items.push(treeAt(data, [...path, at]));
      else announce(this.#place(data, path, at, fragment), fragment, events);
    }
  }

  #place(data: string, path: Path, at: number, fragment: JsonObject): Call {
    const call = this.#callOf(fragment);
    if (!call) return this.#begin(treeAt(data, [...path, at]) as RecordNode, fragment);
    // The plain fragment first: no path is made for it.
    if (!addArguments(call, data, fragment)) this.#merge(call, data, [...path, at], fragment);
    return call;
  }

  /**
   * The call a fragment continues. Compatible providers leave the index out, or number every parallel call 0: then a
   * new id begins a new call, with an index only if a name comes with it, since some make up an id for each fragment.
   */
  #callOf(fragment: JsonObject): Call | undefined {
    const { index, id } = fragment;
    const name = nameOf(fragment);
    if (typeof index === 'number') {
      const call = this.#byIndex.get(index);
      const isNew = call && isText(id) && call.id !== '' && id !== call.id && name !== '';
      return isNew ? undefined : call;
    }
    if (isText(id)) return this.#calls.findLast((call) => call.id === id);
    const last = this.#calls.at(-1);
    return last && name !== '' && isJson(last.arguments?.pieces.join('') ?? '') ? undefined : last;
  }

  #begin(tree: RecordNode, fragment: JsonObject): Call {
    const record: RecordNode = { kind: 'record', members: tree.members.filter(({ name }) => name !== 'index') };
    const call: Call = {
      record,
      position: this.#calls.length,
      id: isText(fragment.id) ? fragment.id : '',
      name: nameOf(fragment),
      arguments: argumentsOf(record),
      announced: false,
    };
    this.list.items.push(record);
    this.#calls.push(call);
    if (typeof fragment.index === 'number') this.#byIndex.set(fragment.index, call);
    return call;
  }

  #merge(call: Call, data: string, place: Path, fragment: JsonObject): void {
    for (const name in fragment) {
      if (name === 'index' || fragment[name] === null) continue;
      if (name === 'id') this.#identify(call, fragment.id);
      else mergeDelta(call.record, oneMember(name, treeAt(data, [...place, name])), RULE);
    }
    call.arguments = argumentsOf(call.record);
    call.name ||= nameOf(fragment);
  }

  /** The first id counts: it was announced, and later ones may be made up. */
  #identify(call: Call, id: unknown): void {
    if (call.id !== '' || !isText(id)) return;
    call.id = id;
    setMember(call.record, 'id', parseTree(JSON.stringify(id)));
  }
}

/** Adds the plain fragment: the index and a piece of the arguments. False for anything that is or says more. */
function addArguments(call: Call, data: string, fragment: JsonObject): boolean {
  for (const name in fragment) if (name !== 'index' && name !== 'function') return false;
  const called = fragment.function;
  if (!isObject(called) || typeof called.arguments !== 'string' || !call.arguments) return false;
  for (const name in called) if (name !== 'arguments') return false;
  const piece = printedPiece(data, called.arguments);
  if (piece !== undefined) call.arguments.pieces.push(piece);
  return piece !== undefined;
}

/** Says that a call begins as soon as its name is known, or its arguments come without one. */
function announce(call: Call, fragment: JsonObject, events: StreamEvent[]): void {
  const text = pieceOf(fragment);
  if (!call.announced && (call.name !== '' || text !== '')) {
    call.announced = true;
    events.push({ type: 'tool-use', index: call.position, id: call.id, name: call.name });
  }
  if (text !== '') events.push({ type: 'tool-arguments', index: call.position, text });
}

function nameOf({ function: called, custom }: JsonObject): string {
  if (isObject(called) && isText(called.name)) return called.name;
  return isObject(custom) && isText(custom.name) ? custom.name : '';
}

function pieceOf({ function: called, custom }: JsonObject): string {
  if (isObject(called) && isText(called.arguments)) return called.arguments;
  return isObject(custom) && isText(custom.input) ? custom.input : '';
}

function argumentsOf(record: RecordNode): TextNode | undefined {
  const called = getMember(record, 'function');
  const text = called?.kind === 'record' ? getMember(called, 'arguments') : undefined;
  return text?.kind === 'text' ? text : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function treeAt(data: string, path: Path): Tree {
  return parseTree(data, find(data, path)!.start);
}
