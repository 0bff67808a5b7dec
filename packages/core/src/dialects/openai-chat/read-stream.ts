import { isObject, type JsonObject, listNode, type Path, printTree, recordNode, setMember } from '../../json/index.ts';
import type { Assembler, RawReply } from '../dialect.ts';
import type { Stop } from '../reply.ts';
import type { StreamEvent } from '../stream/events.ts';
import { UnreadEvents } from '../stream/unread.ts';
import { EMPTY_MESSAGE } from './native-message.ts';
import { errorMessage, modelOf } from './read-response.ts';
import { stopOf } from './stop.ts';
import { StreamedChoice } from './stream-choice.ts';
import { DeltaFrame } from './stream-frame.ts';
import { LatestMembers } from './stream-members.ts';
import { usageOf } from './usage.ts';

const NOTHING: readonly StreamEvent[] = [];
const TOP: Path = [];

export function assemble(): Assembler {
  return new ChunkAssembler();
}

class ChunkAssembler implements Assembler {
  readonly #members = new LatestMembers();
  readonly #choices = new Map<number, StreamedChoice>();
  readonly #unread = new UnreadEvents();
  readonly #frame = new DeltaFrame();
  /** The choice that the frame belongs to. */
  #framed = 0;
  #done = false;
  #failed = false;

  push(event: string | undefined, data: string): readonly StreamEvent[] {
    if (data === '[DONE]') {
      this.#done = true;
      return NOTHING;
    }
    try {
      return this.#read(event, data);
    } catch {
      return event === 'error' ? this.#fail(event, data, data) : this.#unread.keep(event, data);
    }
  }

  finish(): RawReply & { readonly cut: boolean } {
    const streamed = [...this.#choices].sort(([a], [b]) => a - b).map(([, choice]) => choice);
    const cut = !this.#done && streamed[0]?.finishReason === undefined;
    const choices = streamed.map((choice, index) => {
      const raw = choice.print();
      return { raw, stop: this.#stopOf(choice.finishReason, raw, index) };
    });
    const envelope = this.#envelope(streamed);
    const value: unknown = JSON.parse(envelope);
    return {
      choices: choices.length > 0 ? choices : [{ raw: EMPTY_MESSAGE, stop: this.#stopOf(undefined, EMPTY_MESSAGE, 0) }],
      usage: usageOf(value, envelope),
      envelope,
      model: isObject(value) ? modelOf(value.model) : undefined,
      cut,
    };
  }

  #read(event: string | undefined, data: string): readonly StreamEvent[] {
    const text = event === 'error' ? undefined : this.#frame.between(data);
    const delta = text === undefined ? undefined : parsed(text);
    if (text !== undefined && isObject(delta)) return this.#addDelta(data, text, delta);
    const chunk: unknown = JSON.parse(data);
    if (isObject(chunk) && event !== 'error' && isChunk(chunk)) return this.#addChunk(data, chunk);
    const failed = event === 'error' || (isObject(chunk) && isSet(chunk.error));
    return failed ? this.#fail(event, data, chunk) : this.#unread.keep(event, data);
  }

  /** The plain case: everything but the delta, and what pads it, is as it was. */
  #addDelta(data: string, text: string, delta: JsonObject): readonly StreamEvent[] {
    if (this.#frame.padded) this.#members.set('obfuscation', data, data, TOP);
    const events: StreamEvent[] = [];
    this.#choices.get(this.#framed)?.addDelta(text, delta, this.#framed === 0 ? events : undefined);
    return events.length > 0 ? events : NOTHING;
  }

  #addChunk(data: string, chunk: JsonObject): readonly StreamEvent[] {
    for (const name in chunk) this.#members.set(name, name === 'choices' ? null : chunk[name], data, TOP);
    const events: StreamEvent[] = [];
    const choices = Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
    for (let position = 0; position < choices.length; position++) {
      const choice = choices[position];
      if (isObject(choice)) this.#addChoice(data, position, choice, events);
    }
    if (choices.length === 1 && isObject(choices[0]) && isPlain(choices[0]) && !isSet(chunk.error)) {
      this.#framed = indexOf(choices[0], 0);
      this.#frame.learn(data);
    } else this.#frame.forget();
    // OpenRouter reports a failure in a chunk that is otherwise like any other.
    if (isSet(chunk.error)) events.push(this.#failure(data, chunk));
    return events.length > 0 ? events : NOTHING;
  }

  #addChoice(data: string, position: number, value: JsonObject, events: StreamEvent[]): void {
    const index = indexOf(value, position);
    let choice = this.#choices.get(index);
    if (!choice) {
      choice = new StreamedChoice();
      this.#choices.set(index, choice);
    }
    choice.add(data, position, value, index === 0 ? events : undefined);
  }

  #fail(event: string | undefined, data: string, value: unknown): readonly StreamEvent[] {
    this.#unread.keep(event, data);
    return [this.#failure(data, value)];
  }

  #failure(data: string, value: unknown): StreamEvent {
    this.#failed = true;
    const error = isObject(value) && isSet(value.error) ? value.error : value;
    return { type: 'error', message: errorMessage(error), native: data };
  }

  /** Without a word and without `[DONE]` the choice was cut; with `[DONE]` the message itself tells. */
  #stopOf(word: string | undefined, raw: string, index: number): Stop {
    if (this.#failed && index === 0) return { reason: 'error', native: word };
    if (word === undefined && !this.#done) return { reason: 'cut', native: undefined };
    return stopOf(word, raw);
  }

  #envelope(streamed: readonly StreamedChoice[]): string {
    const record = recordNode();
    for (const name of this.#members.names()) setMember(record, name, this.#members.tree(name)!);
    setMember(record, 'choices', listNode(streamed.map((choice) => choice.envelope())));
    this.#unread.addTo(record);
    return printTree(record);
  }
}

/** A chunk, or the usage alone as some compatible providers send it. */
function isChunk(value: JsonObject): boolean {
  return Array.isArray(value.choices) || (isObject(value.usage) && !isSet(value.error));
}

function indexOf(choice: JsonObject, position: number): number {
  return typeof choice.index === 'number' ? choice.index : position;
}

/** A choice whose other members may be said again without adding anything. */
function isPlain({ delta, logprobs }: JsonObject): boolean {
  return isObject(delta) && !isSet(logprobs);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
