import {
  find,
  getMember,
  isJson,
  isObject,
  isText,
  type JsonObject,
  type ListNode,
  listNode,
  mergeDelta,
  type Path,
  parseTree,
  type RecordNode,
  recordNode,
  type TextNode,
} from '../../json/index.ts';
import { escapedPiece, type StreamEvent } from '../stream/index.ts';
import { RULE } from './stream-rule.ts';

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
export class StreamedCalls {
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
    const call = this.#callOf(fragment, name) ?? this.#begin(fragment.index);
    if (call.args && typeof inner.arguments === 'string' && isPlain(fragment, inner))
      call.args.pieces.push(escapedPiece(data, [...place, 'function', 'arguments'], inner.arguments));
    else merge(call, parseTree(data, find(data, place)!.start) as RecordNode);
    call.id ||= isText(id) ? id : '';
    call.name ||= name;
    const text = inner.arguments ?? inner.input;
    const index = this.#calls.indexOf(call);
    // A call is told as soon as its name is known, or its arguments come without one.
    if (!call.isAnnounced && (call.name !== '' || isText(text))) {
      call.isAnnounced = true;
      events.push({ type: 'tool-use', index, id: call.id, name: call.name });
    }
    if (isText(text)) events.push({ type: 'tool-arguments', index, text });
  }

  /**
   * The call a fragment continues. Compatible providers leave the index out, or number every parallel call 0: then a
   * new id begins a new call, with an index only if a name comes with it, since some make up an id for each fragment.
   */
  #callOf({ index, id }: JsonObject, name: string): Call | undefined {
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
