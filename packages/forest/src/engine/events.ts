import { type Clock, KeyGuard, type StoreRecord } from '../model/index.ts';
import { nextChange } from '../store/changes.ts';
import type { Store } from '../store/index.ts';
import { readGeneration } from './generation.ts';
import { EngineError, type GenerationEvent, type StoredEvent } from './types.ts';

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
    const joined = last && joinEvents(last, stored);
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
function eventId(number: number): string {
  return String(number).padStart(10, '0');
}

/** Neighbouring pieces of one text are one event, with the id of the last. */
function joinEvents(a: StoredEvent, b: StoredEvent): StoredEvent | undefined {
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

/** How often to look when nobody calls, in milliseconds. */
const POLL_MS = 200;

/** An id like those of events, before the first. */
const BEFORE_ALL = eventId(0);

/** Refuses what is no event's id: nothing stands behind it, and whoever follows would wait in vain. */
export function checkEventId(generation: string, after: string | undefined): void {
  if (after === undefined || /^\d{10}$/.test(after)) return;
  throw new EngineError(
    'bad_event',
    generation,
    `"${after.slice(0, 40)}" is not the id of an event: give one that was told, such as ${eventId(1)}, or none.`,
  );
}

/** Stored events from behind an id until the generation has ended, whoever writes them. */
export async function* followEvents(store: Store, generation: string, after?: string): AsyncGenerator<StoredEvent> {
  let last = after ?? BEFORE_ALL;
  for (;;) {
    const woken = nextChange(store, POLL_MS);
    try {
      // Read before the events: what is stored when it ended is then seen below.
      const { status, endedAt } = await readGeneration(store, generation);
      let hasEnd = false;
      for (let more = true; more; ) {
        const page = await store.entries('event', { of: generation, afterOrder: last, limit: 100 });
        for (const { data } of page.items) {
          for (const event of data.events as readonly StoredEvent[]) {
            if (event.id <= last) continue;
            last = event.id;
            yield event;
            hasEnd = event.event.type === 'end';
          }
        }
        more = page.next !== undefined;
      }
      if (status !== 'running') {
        // Its process died. The id is that of the event before, so that going on loses nothing of what may follow.
        if (endedAt === undefined) yield { id: last, branch: 0, event: { type: 'end', status } };
        return;
      }
      // An end that was told may be that of before it was taken up again: what its state says counts.
      if (!hasEnd) await woken.promise;
    } finally {
      woken.cancel();
    }
  }
}
