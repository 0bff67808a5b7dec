import {
  find,
  isObject,
  type JsonObject,
  leafNode,
  type MergeRule,
  mergeDelta,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  textAt,
} from '../../json/index.ts';
import type { Stop } from '../reply.ts';
import type { StreamEvent } from '../stream/events.ts';
import { listTexts } from './fields.ts';
import { EMPTY_REPLY } from './read-response.ts';
import { stopOf } from './stop.ts';
import { StreamedCalls } from './streamed-calls.ts';

const NOTHING: readonly StreamEvent[] = [];
const CONTENT_RULE: MergeRule = { replaced: new Set(['role']), placed: new Set() };
const LOGPROBS: ReadonlySet<string> = new Set(['logprobsResult', 'logprobs_result']);
const LOGPROBS_RULE: MergeRule = { replaced: new Set(), placed: new Set() };

/** What a later event says of the same thing replaces it, unless it says nothing. */
export function isBlank(value: unknown): boolean {
  if (typeof value !== 'object') return value === '';
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

/** One candidate while it arrives. */
export class StreamedCandidate {
  readonly #parts: string[] = [];
  /** The content with an empty leaf in the place of its parts. */
  readonly #content: RecordNode = recordNode();
  /** The last event that had each member of the candidate, and where the candidate stands in it. */
  readonly #members = new Map<string, { readonly data: string; readonly place: number }>();
  readonly #logprobs = new Map<string, RecordNode>();
  readonly #calls = new StreamedCalls();
  #role: unknown;
  #hasParts = false;
  #finish: unknown;

  /** Takes the candidate at a place of an event; `start` is where its list of parts starts, if that is known. */
  add(data: string, place: number, candidate: JsonObject, start: number | undefined): readonly StreamEvent[] {
    const here = { data, place };
    for (const name in candidate) {
      if (LOGPROBS.has(name) && isObject(candidate[name])) this.#addLogprobs(name, data, place);
      else if (!isBlank(candidate[name]) || !this.#members.has(name)) this.#members.set(name, here);
    }
    this.#finish = candidate.finishReason ?? candidate.finish_reason ?? this.#finish;
    const { content } = candidate;
    if (!isObject(content)) return NOTHING;
    this.#addContent(content, data, place);
    if (content.parts === undefined || content.parts === null) return NOTHING;
    const events: StreamEvent[] = [];
    const values: readonly unknown[] = Array.isArray(content.parts) ? content.parts : [content.parts];
    const texts = listTexts(data, start ?? find(data, ['candidates', place, 'content', 'parts'])!.start);
    for (let index = 0; index < texts.length; index++) {
      this.#parts.push(texts[index]!);
      this.#tell(values[index], texts[index]!, events);
    }
    return events.length > 0 ? events : NOTHING;
  }

  /** Undefined before the candidate says that it is finished. */
  get stop(): Stop | undefined {
    return this.#finish === undefined ? undefined : stopOf(this.#finish, this.#calls.count > 0);
  }

  raw(): string {
    if (this.#content.members.length === 0) return EMPTY_REPLY;
    const content = recordNode();
    for (const { name, value } of this.#content.members)
      setMember(content, name, name === 'parts' ? leafNode(`[${this.#parts.join(',')}]`) : value);
    if (this.#role === undefined) setMember(content, 'role', leafNode('"model"'));
    return printTree(content);
  }

  envelope(): RecordNode {
    const envelope = recordNode();
    for (const [name, { data, place }] of this.#members)
      setMember(envelope, name, leafNode(name === 'content' ? 'null' : textAt(data, ['candidates', place, name])!));
    for (const [name, tree] of this.#logprobs) setMember(envelope, name, tree);
    return envelope;
  }

  #tell(part: unknown, text: string, events: StreamEvent[]): void {
    if (!isObject(part)) return;
    const said = part.text;
    if (typeof said === 'string' && said !== '')
      events.push({ type: part.thought === true ? 'reasoning' : 'text', text: said });
    else if (said === undefined) this.#calls.add(part, text, events);
  }

  /** Nearly every event has the same role and nothing else beside its parts. */
  #addContent(content: JsonObject, data: string, place: number): void {
    const names = Object.keys(content);
    const isSameRole = content.role === this.#role;
    const isKnown = (name: string): boolean => (name === 'parts' ? this.#hasParts : name === 'role' && isSameRole);
    if (names.every(isKnown)) return;
    this.#role = content.role ?? this.#role;
    this.#hasParts ||= 'parts' in content;
    const delta = recordNode();
    for (const name of names) {
      const text = name === 'parts' ? '' : textAt(data, ['candidates', place, 'content', name])!;
      setMember(delta, name, name === 'parts' ? leafNode('') : parseTree(text));
    }
    mergeDelta(this.#content, delta, CONTENT_RULE);
  }

  #addLogprobs(name: string, data: string, place: number): void {
    const tree = parseTree(textAt(data, ['candidates', place, name])!);
    const known = this.#logprobs.get(name) ?? recordNode();
    this.#logprobs.set(name, known);
    if (tree.kind === 'record') mergeDelta(known, tree, LOGPROBS_RULE);
  }
}
