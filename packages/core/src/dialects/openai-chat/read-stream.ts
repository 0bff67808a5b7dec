import {
  find,
  isJson,
  isObject,
  isText,
  type JsonObject,
  leafNode,
  listNode,
  mergeDelta,
  overlay,
  type Path,
  parseJson,
  parseTree,
  printTree,
  type RecordNode,
  recordNode,
  setMember,
  type Tree,
  textAt,
} from '../../json/index.ts';
import type { ContentBlock } from '../../message/index.ts';
import type { Assembler } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import {
  BOUNDARY,
  type DeltaPattern,
  errorEvent,
  NO_EVENTS,
  readEvent,
  type StreamEvent,
  TEXT,
  UnreadEvents,
} from '../stream.ts';
import { detailBlock, partBlock, readStop, toReply } from './read-response.ts';
import { EMPTY_MESSAGE } from './rules.ts';
import { RULE, StreamedMessage } from './stream-message.ts';

export function assemble(): Assembler {
  return new ChunkAssembler();
}

class ChunkAssembler implements Assembler {
  readonly #latest = new Latest();
  readonly #choices = new Map<number, StreamedChoice>();
  readonly #unread = new UnreadEvents();
  /** The last event, if all of it but the delta may be said again: its text, its delta, and what that told. */
  #last: readonly [data: string, delta: JsonObject, told: readonly StreamEvent[]] | undefined;
  /** What follows from it; made when it is asked for. */
  #usual: DeltaPattern | undefined;
  #isDone = false;
  #hasFailed = false;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    if (data === '[DONE]') {
      this.#isDone = true;
      return NO_EVENTS;
    }
    if (event === 'error') return this.#failUnread(event, data, isJson(data) ? parseJson(data) : data);
    return readEvent(this.#unread, event, data, (chunk) => {
      // Some compatible providers send the usage alone.
      if (Array.isArray(chunk.choices) || (isObject(chunk.usage) && !chunk.error)) return this.#add(data, chunk);
      return chunk.error ? this.#failUnread(event, data, chunk) : undefined;
    });
  }

  usual(): DeltaPattern | undefined {
    if (this.#last) this.#usual ??= this.#describe(...this.#last);
    return this.#usual;
  }

  finish(): ReturnType<Assembler['finish']> {
    const streamed = [...this.#choices].sort(([a], [b]) => a - b).map(([, choice]) => choice);
    const choices = streamed.map(({ message, finishReason }, index) => {
      const raw = message.print();
      return { raw, stop: this.#readStop(finishReason, raw, index) };
    });
    // A stream that brought no choice did not come to its end, whatever it says.
    if (choices.length === 0) {
      const reason = this.#hasFailed ? 'error' : 'cut';
      choices.push({ raw: EMPTY_MESSAGE, stop: { reason, native: undefined } });
    }
    const record = this.#latest.record();
    setMember(record, 'choices', listNode(streamed.map((choice) => choice.envelope())));
    // Unread events may nest deeper in the envelope than anything is read.
    const plain = printTree(record);
    this.#unread.addTo(record);
    return {
      ...toReply(parseJson(plain) as JsonObject, choices, plain),
      envelope: printTree(record),
      cut: streamed.length === 0 || (!this.#isDone && streamed[0]!.finishReason === undefined),
    };
  }

  #add(data: string, chunk: JsonObject): readonly StreamEvent[] {
    this.#latest.add(chunk, data, [], 'choices');
    // OpenRouter reports a failure in a chunk that is otherwise like any other.
    this.#hasFailed ||= Boolean(chunk.error);
    const events: StreamEvent[] = [];
    const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    choices.forEach((value, position) => {
      if (!isObject(value)) return;
      const index = typeof value.index === 'number' ? value.index : position;
      const choice = this.#choices.get(index) ?? new StreamedChoice();
      this.#choices.set(index, choice);
      // Only the first choice is told: it is the reply.
      choice.add(data, position, value, index === 0 ? events : []);
    });
    // Log probabilities join, and an event in several lines is not the text of its data.
    const isPlain = choices.length === 1 && !chunk.error && !chunk.logprobs && !data.includes('\n');
    const delta = isPlain && repeatableDelta(choices[0]);
    this.#last = delta ? [data, delta, events] : undefined;
    this.#usual = undefined;
    if (chunk.error) events.push(this.#fail(data, chunk));
    return events;
  }

  /** An event that differs from the last one in the string of its delta, and in the padding, is that string and no more. */
  #describe(last: string, value: JsonObject, [told, more]: readonly StreamEvent[]): DeltaPattern | undefined {
    const [name, other] = Object.keys(value);
    const node = other === undefined ? this.#choices.get(0)!.message.growing(name!) : undefined;
    if (!node || more || !told || !('text' in told) || told.type === 'tool-arguments') return undefined;
    const delta = find(last, ['choices', 0, 'delta'])!;
    // OpenAI ends each event with as much noise as hides how long its delta is.
    const noise = last.search(/,"obfuscation":"\w*"\}$/);
    const isPadded = noise > 0;
    const before = literal(last.slice(0, delta.start));
    const after = literal(last.slice(delta.end, isPadded ? noise : undefined));
    const padding = isPadded ? ',"obfuscation":"(?<noise>\\w*)"\\}' : '';
    return {
      type: told.type,
      pattern: `data: ${before}\\{"${name}": ?${TEXT}\\}${after}${padding}`,
      add: (text, _, join) => {
        node.pieces.push(text);
        if (!isPadded) return;
        // The last one that is not blank.
        const noises = join('$<noise>\n').trimEnd();
        const obfuscation = noises.slice(noises.lastIndexOf('\n') + 1);
        this.#latest.add({ obfuscation }, JSON.stringify({ obfuscation }), [], '');
      },
    };
  }

  #failUnread(event: string | undefined, data: string, value: unknown): readonly StreamEvent[] {
    this.#unread.keep(event, data);
    return [this.#fail(data, value)];
  }

  #fail(data: string, value: unknown): StreamEvent {
    this.#hasFailed = true;
    const error = isObject(value) && value.error ? value.error : value;
    return errorEvent(error, data);
  }

  /** Without a word and without `[DONE]` the choice was cut; with `[DONE]` the message itself tells. */
  #readStop(word: string | undefined, raw: string, index: number): Stop {
    if (this.#hasFailed && index === 0) return { reason: 'error', native: word };
    return word === undefined && !this.#isDone ? { reason: 'cut', native: undefined } : readStop(word, raw);
  }
}

/** The delta of a choice, if nothing else of it adds anything when it is said again. */
function repeatableDelta(choice: unknown): JsonObject | undefined {
  const isPlain = isObject(choice) && (choice.index ?? 0) === 0 && !choice.logprobs;
  return isPlain && isObject(choice.delta) ? choice.delta : undefined;
}

/** One choice of a streamed reply: its message, and what its envelope says. */
class StreamedChoice {
  readonly message = new StreamedMessage();
  finishReason: string | undefined;
  readonly #latest = new Latest();
  /** Whether thoughts come as plain text: then the same thought taken apart is not told again. */
  #thinksAloud = false;
  /** The kind of the last part of a list. */
  #part: string | undefined;

  add(data: string, position: number, choice: JsonObject, events: StreamEvent[]): void {
    const path = ['choices', position];
    // A whole message in place of a delta: some servers stream a reply in one piece.
    const holder = isObject(choice.delta) ? 'delta' : 'message';
    this.#latest.add(choice, data, path, holder);
    if (isText(choice.finish_reason)) this.finishReason = choice.finish_reason;
    const delta = choice[holder];
    if (isObject(delta)) this.addDelta(data, [...path, holder], delta, events);
  }

  /** `delta` is the value at `path` of the text. */
  addDelta(data: string, path: Path, delta: JsonObject, events: StreamEvent[]): void {
    this.#tell(delta, events);
    this.message.add(data, path, delta, events);
  }

  /** The choice as an unstreamed envelope has it: no delta, and `null` for the message. */
  envelope(): RecordNode {
    const members = this.#latest
      .record()
      .members.map((member) =>
        member.name === 'delta' || member.name === 'message' ? { name: 'message', value: leafNode('null') } : member,
      );
    return { kind: 'record', members };
  }

  /** What a delta says; calls are told where they are put together. */
  #tell(delta: JsonObject, events: StreamEvent[]): void {
    const { content, refusal, audio, reasoning, reasoning_content: thought, reasoning_details: details } = delta;
    const aloud = isText(thought) ? thought : reasoning;
    if (isText(aloud)) {
      this.#thinksAloud = true;
      events.push({ type: 'reasoning', text: aloud });
    } else if (!this.#thinksAloud && Array.isArray(details))
      for (const detail of details) this.#tellPart(detailBlock(detail), `${detail?.type} ${detail?.index}`, events);
    if (isText(content)) events.push({ type: 'text', text: content });
    else if (Array.isArray(content)) for (const part of content) this.#tellPart(partBlock(part), part?.type, events);
    if (isText(refusal)) events.push({ type: 'refusal', text: refusal });
    if (isObject(audio) && isText(audio.transcript)) events.push({ type: 'text', text: audio.transcript });
  }

  /** One of a list of parts: those of one kind that follow each other are pieces of one block. */
  #tellPart(block: ContentBlock | undefined, kind: string, events: StreamEvent[]): void {
    if (!block || !('text' in block) || block.text === '') return;
    if (this.#part !== kind) events.push(BOUNDARY);
    this.#part = kind;
    events.push({ type: block.type, text: block.text });
  }
}

/** The pattern of a text. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

interface Place {
  readonly data: string;
  readonly path: Path;
}

/**
 * What events say around their deltas: the latest value of each member counts, objects member by member; only log
 * probabilities join. The events are remembered, and the texts cut out at the end.
 */
class Latest {
  readonly #held = new Map<string, { value: unknown; places: Place[] }>();

  /** Takes the members of an object that stands in an event; of what the message is made of (`holder`) only the place. */
  add(object: JsonObject, data: string, path: Path, holder: string): void {
    const here = { data, path };
    for (const name in object) {
      const held = this.#held.get(name);
      const value = name === holder ? null : object[name];
      if (!held) this.#held.set(name, { value, places: [here] });
      else if (value !== held.value && value !== null && value !== '') {
        if (!isObject(held.value) || !isObject(value)) held.places = [here];
        else if (name === 'logprobs' || !covers(value, held.value)) held.places.push(here);
        else held.places[held.places.length - 1] = here;
        held.value = value;
      }
    }
  }

  record(): RecordNode {
    const record = recordNode();
    for (const [name, { places }] of this.#held) {
      const texts = places.map(({ data, path }) => textAt(data, [...path, name])!);
      const join = (before: Tree, later: Tree): Tree =>
        name === 'logprobs' ? joined(before, later) : overlay(before, later, false);
      const tree = texts.length > 1 ? texts.map((text) => parseTree(text)).reduce(join) : leafNode(texts[0]!);
      setMember(record, name, tree);
    }
    return record;
  }
}

/** Whether a value has all that the one before it has. */
function covers(value: unknown, before: unknown): boolean {
  if (!isObject(before)) return value !== null || before === null;
  return isObject(value) && Object.keys(before).every((name) => name in value && covers(value[name], before[name]));
}

function joined(before: Tree, later: Tree): Tree {
  mergeDelta(before as RecordNode, later as RecordNode, RULE);
  return before;
}
