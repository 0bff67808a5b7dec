import type { Clock } from './clock.ts';

/** Ends work early, for one reason: the first that comes. */
export class Stopper<Why> {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #undo: (() => void)[] = [];
  stopped: Why | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For `fetch`. Its reason carries nothing, so that nothing of ours ends up in foreign errors. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(why: Why): void {
    if (this.stopped) return;
    this.stopped = why;
    this.#controller.abort();
  }

  /** Stops when the signal aborts. */
  follow(signal: AbortSignal | undefined, why: () => Why): void {
    if (signal) this.#undo.push(onAbort(signal, () => this.stop(why())));
  }

  /** Stops when the time is over. */
  after(ms: number, why: Why): void {
    this.#undo.push(this.#startTimer(ms, why));
  }

  #startTimer(ms: number, why: Why): () => void {
    return ms === Number.POSITIVE_INFINITY ? () => {} : this.#clock.setTimer(ms, () => this.stop(why));
  }

  /** Waits for the work, that long; rejects as soon as this is stopped, whether or not the work takes notice. */
  async race<T>(work: Promise<T>, ms: number, why: Why): Promise<T> {
    const cancel = this.#startTimer(ms, why);
    try {
      return await unlessAborted(work, this.signal);
    } finally {
      cancel();
    }
  }

  /** Forgets timers and listeners. */
  dispose(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }
}

/** Waits for the work; rejects with the signal's reason as soon as that aborts. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let undo = () => {};
  const aborted = new Promise<never>((_, reject) => {
    undo = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    undo();
  }
}

/** Calls back when the signal aborts, at once if it has; the function it gives undoes that. */
function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) call();
  else signal.addEventListener('abort', call, { once: true });
  return () => signal.removeEventListener('abort', call);
}
