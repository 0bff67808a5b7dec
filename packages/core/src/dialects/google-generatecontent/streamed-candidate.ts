import {
  find,
  getMember,
  isObject,
  type JsonObject,
  leafNode,
  type MergeRule,
  mergeDelta,
  type Path,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
} from '../../json/index.ts';
import type { Stop } from '../reply.ts';
import { NO_EVENTS, type StreamEvent } from '../stream/index.ts';
import { Latest } from './latest.ts';
import { addCall, argsOf, type Call, listTexts } from './parts.ts';
import { EMPTY_REPLY, stopOf } from './read-response.ts';

const RULE: MergeRule = { replaced: new Set(['role']) };

/** One candidate while it arrives. */
export class StreamedCandidate {
  readonly #parts: string[] = [];
  /** The content, its parts aside. */
  readonly #content = recordNode();
  readonly #latest = new Latest();
  readonly #calls: Call[] = [];
  #role: unknown;

  /** Takes the candidate at a place of an event. */
  add(data: string, place: number, candidate: JsonObject): readonly StreamEvent[] {
    const path = this.addLatest(data, place, candidate);
    const { content } = candidate;
    if (!isObject(content)) return NO_EVENTS;
    this.#addContent(content, data, [...path, 'content']);
    const { parts } = content;
    if (parts === undefined || parts === null) return NO_EVENTS;
    const events: StreamEvent[] = [];
    listTexts(data, find(data, [...path, 'content', 'parts'])!.start).forEach((text, index) => {
      this.#tell(Array.isArray(parts) ? parts[index] : parts, text, events);
      this.#parts.push(text);
    });
    return events;
  }

  addLatest(data: string, place: number, candidate: JsonObject): Path {
    const path = ['candidates', place];
    this.#latest.add(candidate, data, path);
    return path;
  }

  /** Whether its content so far is parts of the model: a further part is all that an event can add. */
  get isSpeaking(): boolean {
    return this.#parts.length > 0 && this.#role === 'model';
  }

  /** Takes a part that is nothing but text. */
  say(part: string, text: string, isThought: boolean): readonly StreamEvent[] {
    this.#parts.push(part);
    return text === '' ? NO_EVENTS : [{ type: isThought ? 'reasoning' : 'text', text }];
  }

  /** Undefined before the candidate says that it is finished. */
  get stop(): Stop | undefined {
    const native = this.#latest.value('finishReason') ?? undefined;
    return native === undefined ? undefined : stopOf(native, this.#calls.length > 0);
  }

  raw(): string {
    if (this.#content.members.length === 0) return EMPTY_REPLY;
    if (getMember(this.#content, 'parts')) setMember(this.#content, 'parts', leafNode(`[${this.#parts.join(',')}]`));
    if (this.#role === undefined) setMember(this.#content, 'role', leafNode('"model"'));
    return printTree(this.#content);
  }

  envelope(): RecordNode {
    const envelope = this.#latest.record();
    if (getMember(envelope, 'content')) setMember(envelope, 'content', leafNode('null'));
    return envelope;
  }

  #tell(part: unknown, text: string, events: StreamEvent[]): void {
    if (isObject(part) && typeof part.text === 'string') {
      if (part.text !== '') events.push({ type: part.thought === true ? 'reasoning' : 'text', text: part.text });
      return;
    }
    const call = addCall(this.#calls, this.#parts.length, part, text);
    if (!call) return;
    const index = this.#calls.length - 1;
    // A call without an id has one only in the complete message; arguments in pieces are told when all are there.
    if (call.parts.length === 1) events.push({ type: 'tool-use', index, id: call.id ?? '', name: call.name });
    if (!call.isOpen) events.push({ type: 'tool-arguments', index, text: argsOf(call) });
  }

  /** Nearly every event has the same role and nothing else beside its parts. */
  #addContent(content: JsonObject, data: string, path: Path): void {
    const isKnown = (name: string): boolean =>
      name === 'parts' ? this.#parts.length > 0 : name === 'role' && content.role === this.#role;
    if (Object.keys(content).every(isKnown)) return;
    this.#role = content.role ?? this.#role;
    const delta = parseTree(data, find(data, path)!.start) as RecordNode;
    if (getMember(delta, 'parts')) setMember(delta, 'parts', leafNode('[]'));
    // Google sends everything but parts with every event: what is there already is no piece of more.
    const fresh = delta.members.filter(({ name, value }) => {
      const before = getMember(this.#content, name);
      return !before || printTree(before) !== printTree(value);
    });
    mergeDelta(this.#content, { kind: 'record', members: fresh }, RULE);
  }
}
