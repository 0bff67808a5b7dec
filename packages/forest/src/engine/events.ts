import type { Clock } from '../model/clock.ts';
import type { StoreRecord } from '../model/records.ts';
import { KeyGuard } from '../model/secrets.ts';
import { nextChange } from '../store/changes.ts';
import type { Store } from '../store/index.ts';
import { readGeneration } from './generation.ts';
import { EngineError, type GenerationEvent, type StoredEvent } from './types.ts';

/** How long an event may wait to be stored with others, in milliseconds. */
export const BATCH_MS = 50;

/** Stores the events of a generation in batches. Followers read them from the store. */
export class EventWriter {
  /** Removes the keys of the requests from the events. */
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

  /** Stores the last event together with the final state, so that whoever reads the event finds the state ended. */
  async end(event: GenerationEvent, state: StoreRecord): Promise<void> {
    this.push(0, event);
    const records = [...this.#take(), state];
    await this.#last;
    await this.#store.append(records);
  }

  /** Ignores a failing store: appending messages and the end report it. */
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

/** Event ids are numbers that sort as text. */
function eventId(number: number): string {
  return String(number).padStart(10, '0');
}

/** Joins two pieces of one text into an event with the id of the second. */
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

/** How often to look when the store does not call, in milliseconds. */
const POLL_MS = 200;

/** An event id before the first. */
const BEFORE_ALL = eventId(0);

/** Refuses a text that is not an event id: a follower would wait for ever. */
export function checkEventId(generation: string, after: string | undefined): void {
  if (after === undefined || /^\d{10}$/.test(after)) return;
  throw new EngineError(
    'bad_event',
    generation,
    `"${after.slice(0, 40)}" is not an event id: give the id of an event, such as ${eventId(1)}, or none.`,
  );
}

/** Yields the stored events after an id until the generation has ended, whichever process writes them. */
export async function* followEvents(store: Store, generation: string, after?: string): AsyncGenerator<StoredEvent> {
  let last = after ?? BEFORE_ALL;
  for (;;) {
    const woken = nextChange(store, POLL_MS);
    try {
      // Read before the events, so that all events of an ended generation are seen below.
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
        // Its process died. The id is that of the last event, so that following from it misses nothing after a resume.
        if (endedAt === undefined) yield { id: last, branch: 0, event: { type: 'end', status } };
        return;
      }
      // The end event may be from before a resume: the state decides.
      if (!hasEnd) await woken.promise;
    } finally {
      woken.cancel();
    }
  }
}
