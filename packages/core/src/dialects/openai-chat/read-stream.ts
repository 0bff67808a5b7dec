import { isJson, isObject, type JsonObject, listNode, parseJson, printTree, setMember } from '../../json/index.ts';
import type { Assembler } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import { NO_EVENTS, readEvent } from '../stream/assembler.ts';
import type { StreamEvent } from '../stream/events.ts';
import { UnreadEvents } from '../stream/unread.ts';
import { Latest } from './latest.ts';
import { errorMessage, replyOf } from './read-response.ts';
import { stopOf } from './stop.ts';
import { StreamedChoice } from './stream-choice.ts';
import { DeltaFrame } from './stream-frame.ts';

export function assemble(): Assembler {
  return new ChunkAssembler();
}

class ChunkAssembler implements Assembler {
  readonly #latest = new Latest();
  readonly #choices = new Map<number, StreamedChoice>();
  readonly #unread = new UnreadEvents();
  readonly #frame = new DeltaFrame();
  /** The choice whose delta is in the frame, and the last event that was read by its frame. */
  #framed = 0;
  #latestFramed: string | undefined;
  #isDone = false;
  #hasFailed = false;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    if (data === '[DONE]') {
      this.#isDone = true;
      return NO_EVENTS;
    }
    if (event === 'error') return this.#failUnread(event, data, isJson(data) ? parseJson(data) : data);
    const text = this.#frame.between(data);
    const delta = text !== undefined && isJson(text) ? parseJson(text) : undefined;
    if (text !== undefined && isObject(delta)) return this.#addDelta(data, text, delta);
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
      return { raw, stop: this.#stopOf(finishReason, raw, index) };
    });
    this.#addLatestFramed();
    const record = this.#latest.record();
    setMember(record, 'choices', listNode(streamed.map((choice) => choice.envelope())));
    // Unread events may nest deeper in the envelope than anything is read.
    const plain = printTree(record);
    this.#unread.addTo(record);
    return {
      ...replyOf(parseJson(plain) as JsonObject, choices, this.#stopOf(undefined, '{}', 0), plain),
      envelope: printTree(record),
      cut: !this.#isDone && streamed[0]?.finishReason === undefined,
    };
  }

  /** The plain case: nothing around the delta is new but its padding, of which the last counts. */
  #addDelta(data: string, text: string, delta: JsonObject): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    this.#latestFramed = data;
    this.#choices.get(this.#framed)?.addDelta(text, [], delta, events);
    return this.#framed === 0 ? events : NO_EVENTS;
  }

  #addLatestFramed(): void {
    if (this.#latestFramed !== undefined)
      this.#latest.add(parseJson(this.#latestFramed) as JsonObject, this.#latestFramed, [], 'choices');
    this.#latestFramed = undefined;
  }

  #add(data: string, chunk: JsonObject): readonly StreamEvent[] {
    this.#addLatestFramed();
    this.#latest.add(chunk, data, [], 'choices');
    const events: StreamEvent[] = [];
    const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    choices.forEach((value, position) => {
      if (!isObject(value)) return;
      const index = typeof value.index === 'number' ? value.index : position;
      const choice = this.#choices.get(index) ?? new StreamedChoice();
      this.#choices.set(index, choice);
      // Nobody watches the alternatives.
      choice.add(data, position, value, index === 0 ? events : []);
      this.#framed = index;
      this.#frame.learn(data, choices.length === 1 && isObject(value.delta) && !value.logprobs && !chunk.error);
    });
    // OpenRouter reports a failure in a chunk that is otherwise like any other.
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
    return { type: 'error', message: errorMessage(error), native: data };
  }

  /** Without a word and without `[DONE]` the choice was cut; with `[DONE]` the message itself tells. */
  #stopOf(word: string | undefined, raw: string, index: number): Stop {
    if (this.#hasFailed && index === 0) return { reason: 'error', native: word };
    return word === undefined && !this.#isDone ? { reason: 'cut', native: undefined } : stopOf(word, raw);
  }
}
