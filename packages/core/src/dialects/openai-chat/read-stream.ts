import {
  find,
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
import { BOUNDARY, errorEvent, NO_EVENTS, readEvent, type StreamEvent, UnreadEvents } from '../stream.ts';
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
  /** Around the deltas of the first choice. */
  readonly #frame = new DeltaFrame();
  #isDone = false;
  #hasFailed = false;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    if (data === '[DONE]') {
      this.#isDone = true;
      return NO_EVENTS;
    }
    if (event === 'error') return this.#failUnread(event, data, parsed(data) ?? data);
    const text = this.#frame.between(data);
    const delta = text && parsed(text);
    if (isObject(delta)) return this.#addDelta(data, text, delta);
    return readEvent(this.#unread, event, data, (chunk) => {
      // Some compatible providers send the usage alone.
      if (Array.isArray(chunk.choices) || (isObject(chunk.usage) && !chunk.error)) return this.#add(data, chunk);
      return chunk.error ? this.#failUnread(event, data, chunk) : undefined;
    });
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

  /** The plain case: nothing around the delta is new but its padding. */
  #addDelta(data: string, text: string, delta: JsonObject): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    if (this.#frame.isPadded) this.#latest.add({ obfuscation: data }, data, [], '');
    this.#choices.get(0)!.addDelta(text, [], delta, events);
    return events;
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
    this.#frame.learn(data, choices.length === 1 && isRepeatable(choices[0]) && !chunk.error);
    if (chunk.error) events.push(this.#fail(data, chunk));
    return events;
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

/** Whether nothing but the delta of a choice adds anything when it is said again. */
function isRepeatable(choice: unknown): boolean {
  return isObject(choice) && isObject(choice.delta) && (choice.index ?? 0) === 0 && !choice.logprobs;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
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

/** How many events in a row may differ before it is no longer worth comparing them. */
const PATIENCE = 8;

/** OpenAI ends each event with as much noise as hides how long its delta is. */
const PADDING = ',"obfuscation":"';

/**
 * Most events of a stream differ in nothing but the delta. Once the text around a delta is known, the next event with
 * the same text around one JSON value can only be that value in the same place: it alone has to be parsed, which makes
 * a stream half as dear to read.
 */
class DeltaFrame {
  isPadded = false;
  #before = '';
  #after = '';
  #misses = 0;

  /** The text in place of the delta, where all around it but the padding is as in the event last learned; else none. */
  between(data: string): string {
    const start = this.#before.length;
    const close = this.isPadded ? paddingStart(data) : data.length;
    const end = close - this.#after.length;
    // Comparing whole strings is many times faster than `startsWith`, which goes character by character.
    if (start === 0 || end <= start || data.slice(end, close) !== this.#after || data.slice(0, start) !== this.#before)
      return '';
    this.#misses = 0;
    return data.slice(start, end);
  }

  /** Takes what is around the delta of an event's first choice; nothing where it must not be taken for said again. */
  learn(data: string, isRepeatable: boolean): void {
    const delta = isRepeatable && this.#misses++ < PATIENCE ? find(data, ['choices', 0, 'delta']) : undefined;
    const padding = paddingStart(data);
    this.isPadded = padding > 0;
    this.#before = delta ? data.slice(0, delta.start) : '';
    this.#after = delta ? data.slice(delta.end, this.isPadded ? padding : undefined) : '';
  }
}

/** Where the padding begins that ends an event, one plain string and the closing brace; 0 where there is none. */
function paddingStart(data: string): number {
  const start = data.lastIndexOf(PADDING);
  return start > 0 && /^[^"\\]*"\}$/.test(data.slice(start + PADDING.length)) ? start : 0;
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
  if (!isObject(before)) return value !== null;
  return isObject(value) && Object.keys(before).every((name) => name in value && covers(value[name], before[name]));
}

function joined(before: Tree, later: Tree): Tree {
  mergeDelta(before as RecordNode, later as RecordNode, RULE);
  return before;
}
