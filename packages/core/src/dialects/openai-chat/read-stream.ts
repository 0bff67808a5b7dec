import { isObject, type JsonObject, listNode, parseJson, printTree, setMember } from '../../json/index.ts';
import type { Assembler } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import { errorEvent, NO_EVENTS, readEvent, type StreamEvent, UnreadEvents } from '../stream/index.ts';
import { Latest } from './latest.ts';
import { replyOf, stopOf } from './read-response.ts';
import { EMPTY_MESSAGE } from './rules.ts';
import { StreamedChoice } from './stream-choice.ts';
import { DeltaFrame } from './stream-frame.ts';

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
      return { raw, stop: this.#stopOf(finishReason, raw, index) };
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
      ...replyOf(parseJson(plain) as JsonObject, choices, plain),
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
    const events: StreamEvent[] = [];
    const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    choices.forEach((value, position) => {
      if (!isObject(value)) return;
      const index = typeof value.index === 'number' ? value.index : position;
      const choice = this.#choices.get(index) ?? new StreamedChoice();
      this.#choices.set(index, choice);
      // Nobody watches the alternatives.
      choice.add(data, position, value, index === 0 ? events : []);
    });
    this.#frame.learn(data, choices.length === 1 && isRepeatable(choices[0]) && !chunk.error);
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
    return errorEvent(error, data);
  }

  /** Without a word and without `[DONE]` the choice was cut; with `[DONE]` the message itself tells. */
  #stopOf(word: string | undefined, raw: string, index: number): Stop {
    if (this.#hasFailed && index === 0) return { reason: 'error', native: word };
    return word === undefined && !this.#isDone ? { reason: 'cut', native: undefined } : stopOf(word, raw);
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
