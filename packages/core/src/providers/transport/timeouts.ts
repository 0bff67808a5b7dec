import type { Clock } from './clock.ts';

/** Time limits in milliseconds; `Infinity` for none. */
export interface Timeouts {
  /** From sending a request to the head of its response. Unstreamed replies have none before they are complete. */
  readonly connectMs: number;
  /** Between two pieces of a response. */
  readonly idleMs: number;
  /** For everything: all attempts, the waits between them, and reading to the end. */
  readonly totalMs: number;
}

/** As long as Node's own `fetch` waits; half an hour in all. */
export const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 300_000, idleMs: 300_000, totalMs: 1_800_000 };

/** Why an exchange was ended from our side. */
export type Stopped =
  | { readonly by: 'caller'; readonly reason: unknown }
  | { readonly by: keyof Timeouts; readonly ms: number };

/** Ends work early, for one reason: the first that comes. */
export class Stopper {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #undo: (() => void)[] = [];
  stopped: Stopped | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For `fetch`. Its reason carries nothing, so that nothing of ours ends up in foreign errors. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(why: Stopped): void {
    if (this.stopped) return;
    this.stopped = why;
    this.#controller.abort();
  }

  /** Stops when the signal aborts. */
  follow(signal: AbortSignal | undefined, why: (signal: AbortSignal) => Stopped): void {
    if (!signal) return;
    const stop = () => this.stop(why(signal));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    this.#undo.push(() => signal.removeEventListener('abort', stop));
  }

  /** Stops when the time is over. */
  limit(by: keyof Timeouts, ms: number): void {
    this.#undo.push(this.#startTimer(by, ms));
  }

  #startTimer(by: keyof Timeouts, ms: number): () => void {
    return ms === Number.POSITIVE_INFINITY ? () => {} : this.#clock.setTimer(ms, () => this.stop({ by, ms }));
  }

  /** Waits for the work, that long; rejects as soon as this is stopped, whether or not the work takes notice. */
  async race<T>(work: Promise<T>, by: keyof Timeouts, ms: number): Promise<T> {
    const { signal } = this;
    const cancel = this.#startTimer(by, ms);
    let stop = () => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([work, stopped]);
    } finally {
      cancel();
      signal.removeEventListener('abort', stop);
    }
  }

  /** Forgets timers and listeners. */
  dispose(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }
}
