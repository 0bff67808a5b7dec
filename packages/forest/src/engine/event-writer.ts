import type { Clock, StoreRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { KeyGuard } from './key-guard.ts';
import type { GenerationEvent, StoredEvent } from './types.ts';

/** How long events may wait for others to be stored with, in milliseconds. */
export const BATCH_MS = 50;

/** Stores what happens in batches, before anyone is told. */
export class EventWriter {
  /** The keys of the requests, which no event repeats. */
  readonly keys = new KeyGuard();
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #generation: string;
  #waiting: StoredEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #next: number;

  /** `from` is the number of the first event. */
  constructor(store: Store, clock: Clock, generation: string, from: number) {
    this.#store = store;
    this.#clock = clock;
    this.#generation = generation;
    this.#next = from;
  }

  push(branch: number, event: GenerationEvent): void {
    const stored = { id: eventId(this.#next++), branch, event };
    const last = this.#waiting.at(-1);
    const joined = last && join(last, stored);
    if (joined) this.#waiting[this.#waiting.length - 1] = joined;
    else this.#waiting.push(stored);
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  /** The last event and the state it tells of are stored together: whoever is told of the end finds it ended. */
  async end(event: GenerationEvent, state: StoreRecord): Promise<void> {
    this.push(0, event);
    const records = [...this.#take(), state];
    await this.#last;
    await this.#store.append(records);
  }

  /** A store that fails is reported by the appends of messages, and in the end. */
  #flush(): void {
    const records = this.#take();
    this.#last = this.#last.then(() => this.#store.append(records)).catch(() => undefined);
  }

  #take(): StoreRecord[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#waiting.map((stored) => this.#withoutKeys(stored));
    this.#waiting = [];
    const order = events.at(-1)!.id;
    const of = this.#generation;
    return [{ k: 'event', id: `${of}/${order}`, of, order, clock: this.#clock.tick(), data: { events } }];
  }

  #withoutKeys(stored: StoredEvent): StoredEvent {
    const { event } = stored;
    return 'text' in event ? { ...stored, event: { ...event, text: this.keys.text(event.text) } } : stored;
  }
}

/** Ids of events are numbers that sort as text. */
export function eventId(number: number): string {
  return String(number).padStart(10, '0');
}

/** Neighbouring pieces of one text are one event, with the id of the last. */
function join(a: StoredEvent, b: StoredEvent): StoredEvent | undefined {
  if (a.branch !== b.branch) return undefined;
  const [first, second] = [a.event, b.event];
  if (
    (first.type === 'text' && second.type === 'text') ||
    (first.type === 'reasoning' && second.type === 'reasoning') ||
    (first.type === 'refusal' && second.type === 'refusal') ||
    (first.type === 'tool-arguments' && second.type === 'tool-arguments' && first.index === second.index)
  )
    return { ...b, event: { ...first, text: first.text + second.text } };
  return undefined;
}
