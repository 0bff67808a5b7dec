import type { Message } from '../message/index.ts';

/** Sends a message into the response that is on its way; false if it cannot. `told` says whether and how the API took it. */
type Delivery = (message: Message, told: (outcome: 'committed' | 'queued' | 'returned') => void) => boolean;

/**
 * What a caller adds to the conversation while a run goes on. Where the API can be steered, it goes into the response that
 * is on its way; everywhere else it waits for the next request.
 */
export class Steering {
  readonly #waiting: Message[] = [];
  readonly #committed: Message[] = [];
  readonly #queued: Message[] = [];
  #isOver = false;
  /** Set while a response is on its way that can be steered. */
  deliver: Delivery | undefined;

  /** False if the run is over. */
  add(message: Message): boolean {
    if (this.#isOver) return false;
    const lists = { committed: this.#committed, queued: this.#queued, returned: this.#waiting };
    if (!this.deliver?.(message, (outcome) => lists[outcome].push(message))) this.#waiting.push(message);
    return true;
  }

  /** Whether there is something that the model has not answered yet. */
  get hasMore(): boolean {
    return this.#waiting.length + this.#queued.length > 0;
  }

  /** Messages that the API took and answers in a response that follows by itself. */
  takeCommitted(): readonly Message[] {
    return this.#committed.splice(0);
  }

  /** Messages that the API took and puts before the next request. */
  takeQueued(): readonly Message[] {
    return this.#queued.splice(0);
  }

  /** Messages that the next request has to contain. */
  takeWaiting(): readonly Message[] {
    return this.#waiting.splice(0);
  }

  /** Takes no more messages. */
  close(): void {
    this.#isOver = true;
  }
}
