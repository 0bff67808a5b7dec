import {
  find,
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
import {
  BOUNDARY,
  COUNT,
  type DeltaPattern,
  errorEvent,
  readEvent,
  type StreamEvent,
  TEXT,
  UnreadEvents,
} from '../stream.ts';
import { addCall, type Call, field, isField, listTexts, readArguments } from './parts.ts';
import { EMPTY_REPLY, isResponse, readBlockedStop, readStop, readUsage } from './read-response.ts';

const some = (item: string): string => `${item}(?:,${item})*`;
const COUNTS = some(String.raw`"\w+": ?(?:${COUNT}|"\w*")`);
const USAGE = some(String.raw`"\w+": ?(?:${COUNT}|"\w*"|\[${some(`\\{${COUNTS}\\}`)}\])`);

/**
 * One more piece of text, or of a thought. It says all that the usual events before it say of the response, so of these only
 * the last counts.
 */
const usualEvent = (thought: string): string =>
  `data: \\{"candidates": ?\\[\\{"content": ?\\{(?:"role": ?"model",)?"parts": ?\\[(?<part>\\{"text": ?${TEXT}${thought}\\})\\](?:,"role": ?"model")?\\},"index": ?0\\}\\],"usageMetadata": ?\\{${USAGE}\\},"modelVersion": ?"[\\w./-]+","responseId": ?"[\\w-]+"\\}`;

/**
 * Each event is a whole response. How they become one:
 * 1. The parts of a candidate (by `index`, 0 when absent) are appended as they are, in their exact text.
 * 2. Other members of its content join as deltas do; a role replaces.
 * 3. Of all other members the last counts (`Latest`).
 */
export function assemble(): Assembler {
  return new ResponseAssembler();
}

class ResponseAssembler implements Assembler {
  readonly #latest = new Latest();
  readonly #candidates = new Map<number, StreamedCandidate>();
  readonly #unread = new UnreadEvents();
  #failure: Stop | undefined;
  /** The last usual event, until its members count as the latest. */
  #last: string | undefined;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    this.#settle();
    return readEvent(this.#unread, event, data, (value) => {
      if (isObject(value.error) && value.candidates === undefined) return this.#fail(event, data, value.error);
      return isResponse(value) ? this.#add(data, value) : undefined;
    });
  }

  usual(): DeltaPattern | undefined {
    const candidate = this.#candidates.get(0);
    const type = candidate?.speaks;
    if (!candidate || !type) return undefined;
    return {
      type,
      pattern: usualEvent(type === 'text' ? '' : ',"thought": ?true'),
      add: (_, data, join) => {
        this.#last = data;
        candidate.addParts(join('$<part>,').slice(0, -1));
      },
    };
  }

  finish(): ReturnType<Assembler['finish']> {
    this.#settle();
    const candidates = [...this.#candidates].sort(([a], [b]) => a - b).map(([, candidate]) => candidate);
    const block = field(this.#latest.value('promptFeedback'), 'blockReason');
    const cut = candidates[0]?.stop === undefined && block === undefined;
    const otherwise: Stop = cut ? { reason: 'cut', native: undefined } : readBlockedStop(block);
    const choices = candidates.map((candidate) => ({ raw: candidate.raw(), stop: candidate.stop ?? otherwise }));
    const [first = { raw: EMPTY_REPLY, stop: otherwise }, ...others] = choices;
    const usage = this.#latest.text('usageMetadata');
    const model = this.#latest.value('modelVersion');
    return {
      choices: [{ raw: first.raw, stop: this.#failure ?? first.stop }, ...others],
      usage: usage === undefined ? undefined : readUsage(JSON.parse(usage), usage),
      envelope: this.#envelope(candidates),
      model,
      cut,
    };
  }

  #settle(): void {
    const data = this.#last;
    if (data === undefined) return;
    const value = JSON.parse(data);
    this.#latest.add(value, data, []);
    this.#candidates.get(0)!.addLatest(data, 0, value.candidates[0]);
    this.#last = undefined;
  }

  #add(data: string, value: JsonObject): readonly StreamEvent[] {
    this.#latest.add(value, data, []);
    const events: StreamEvent[] = [];
    const candidates: unknown[] = Array.isArray(value.candidates) ? value.candidates : [];
    candidates.forEach((candidate, place) => {
      if (!isObject(candidate)) return;
      const index = typeof candidate.index === 'number' ? candidate.index : 0;
      const known = this.#candidates.get(index) ?? new StreamedCandidate();
      this.#candidates.set(index, known);
      const told = known.add(data, place, candidate);
      // Only the first candidate is told: it is the reply.
      if (index === 0) events.push(...told);
    });
    return events;
  }

  #fail(event: string | undefined, data: string, error: JsonObject): readonly StreamEvent[] {
    const native = field(error, 'status') ?? error.code;
    this.#failure = { reason: 'error', native: native === undefined ? undefined : String(native) };
    this.#unread.keep(event, data);
    return [errorEvent(error, data)];
  }

  #envelope(candidates: readonly StreamedCandidate[]): string {
    const envelope = this.#latest.record();
    if (candidates.length > 0)
      setMember(envelope, 'candidates', listNode(candidates.map((candidate) => candidate.envelope())));
    this.#unread.addTo(envelope);
    return printTree(envelope);
  }
}

const RULE: MergeRule = { replaced: new Set(['role']) };

/** One candidate while it arrives. */
class StreamedCandidate {
  readonly #parts: string[] = [];
  /** The content, its parts aside. */
  readonly #content = recordNode();
  readonly #latest = new Latest();
  readonly #calls: Call[] = [];
  #role: unknown;
  /** What the last part is: texts, and thoughts, that follow each other are one block. */
  #kind: 'text' | 'reasoning' | undefined;

  /** Takes the candidate at a place of an event. */
  add(data: string, place: number, candidate: JsonObject): readonly StreamEvent[] {
    const path = this.addLatest(data, place, candidate);
    const { content } = candidate;
    const events: StreamEvent[] = [];
    if (isObject(content)) {
      this.#addContent(content, data, [...path, 'content']);
      const { parts } = content;
      if (parts !== undefined && parts !== null)
        listTexts(data, find(data, [...path, 'content', 'parts'])!.start).forEach((text, index) => {
          this.#tell(Array.isArray(parts) ? parts[index] : parts, text, events);
        });
    }
    return events;
  }

  addLatest(data: string, place: number, candidate: JsonObject): Path {
    const path = ['candidates', place];
    this.#latest.add(candidate, data, path);
    return path;
  }

  /** What it speaks, if its content so far is parts of the model: a further part is then all that an event can add. */
  get speaks(): 'text' | 'reasoning' | undefined {
    return this.#role === 'model' ? this.#kind : undefined;
  }

  /** Takes the text of further parts of the kind that it speaks. */
  addParts(parts: string): void {
    this.#parts.push(parts);
  }

  /** Undefined before the candidate says that it is finished. */
  get stop(): Stop | undefined {
    const native = this.#latest.value('finishReason') ?? undefined;
    return native === undefined ? undefined : readStop(native, this.#calls.length > 0);
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
      this.#addText(part.thought === true ? 'reasoning' : 'text', text, part.text, events);
      return;
    }
    const call = addCall(this.#calls, this.#parts.length, part, text);
    this.#parts.push(text);
    // Parts of a call that follow its first one are no block of their own.
    if (!call || call.parts.length === 1) {
      this.#kind = undefined;
      events.push(BOUNDARY);
    }
    if (!call) return;
    const index = this.#calls.length - 1;
    // A call without an id has one only in the complete message; arguments in pieces are told when all are there.
    if (call.parts.length === 1) events.push({ type: 'tool-use', index, id: call.id ?? '', name: call.name });
    if (!call.isOpen) events.push({ type: 'tool-arguments', index, text: readArguments(call) });
  }

  #addText(type: 'text' | 'reasoning', part: string, text: string, events: StreamEvent[]): void {
    if (this.#kind !== type) events.push(BOUNDARY);
    this.#kind = type;
    this.#parts.push(part);
    if (text !== '') events.push({ type, text });
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

/**
 * Members that every event says anew, of a response or of a candidate. The last that is not blank counts, lists
 * included: usage and grounding are sent whole. Only log probabilities join, their lists append.
 */
class Latest {
  readonly #places = new Map<string, { readonly data: string; readonly path: Path }[]>();

  /** Takes the members of an object that stands in an event. Their texts are cut out only when they are asked for. */
  add(value: JsonObject, data: string, path: Path): void {
    const here = { data, path };
    for (const name in value) {
      const known = this.#places.get(name);
      if (known && isObject(value[name]) && isField(name, 'logprobsResult')) known.push(here);
      else if (!known || !isBlank(value[name])) this.#places.set(name, [here]);
    }
  }

  /** The text of a member, in either spelling of its name. */
  text(name: string): string | undefined {
    const key = [...this.#places.keys()].find((known) => isField(known, name));
    const texts = (this.#places.get(key ?? '') ?? []).map(({ data, path }) => textAt(data, [...path, key!])!);
    if (texts.length < 2) return texts[0];
    const joined = recordNode();
    for (const tree of texts.map((text) => parseTree(text)))
      if (tree.kind === 'record') mergeDelta(joined, tree, { replaced: new Set() });
    return printTree(joined);
  }

  value(name: string): unknown {
    const text = this.text(name);
    return text === undefined ? undefined : JSON.parse(text);
  }

  record(): RecordNode {
    const names = [...this.#places.keys()];
    return { kind: 'record', members: names.map((name) => ({ name, value: leafNode(this.text(name)!) })) };
  }
}

function isBlank(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}
