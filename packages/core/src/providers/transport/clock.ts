/** Time, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, after that time; the returned function cancels it. */
  setTimer(ms: number, fire: () => void): () => void;
}

/** Longer waits overflow, and then fire at once. */
const LONGEST = 2 ** 31 - 1;

/** The clock of the platform. */
export const realClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, fire) {
    const timer = setTimeout(fire, Math.min(ms, LONGEST));
    return () => clearTimeout(timer);
  },
};

/** Waits; rejects with the signal's reason as soon as the signal aborts. */
export async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  let cancel = () => {};
  const over = new Promise<void>((resolve) => {
    cancel = clock.setTimer(ms, resolve);
  });
  try {
    await unlessAborted(over, signal);
  } finally {
    cancel();
  }
}

/** Ends work early. Only the first cause counts. */
export class Stopper<Why> {
  /** Made when somebody asks for its signal: few objects of the platform cost as much. */
  #controller: AbortController | undefined;
  readonly #clock: Clock;
  readonly #undo: (() => void)[] = [];
  /** Not listeners of the signal: a stream waits for each of its pieces, and listeners are slow to add and to remove. */
  readonly #waiting = new Set<() => void>();
  stopped: Why | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For `fetch`. Its reason is empty, so that nothing of ours ends up in the errors of others. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.stopped) this.#controller.abort();
    return this.#controller.signal;
  }

  stop(why: Why): void {
    if (this.stopped) return;
    this.stopped = why;
    this.#controller?.abort();
    for (const giveUp of this.#waiting) giveUp();
  }

  /** Stops when the signal aborts, or when the other one stops. */
  follow(source: AbortSignal | Stopper<Why> | undefined, why: () => Why): void {
    const stop = () => this.stop(why());
    if (source instanceof Stopper) {
      if (source.stopped) stop();
      source.#waiting.add(stop);
      this.#undo.push(() => source.#waiting.delete(stop));
    } else if (source) this.#undo.push(onAbort(source, stop));
  }

  /** Stops after that time. */
  after(ms: number, why: Why): void {
    this.#undo.push(this.#startTimer(ms, why));
  }

  #startTimer(ms: number, why: Why): () => void {
    return ms === Number.POSITIVE_INFINITY ? () => {} : this.#clock.setTimer(ms, () => this.stop(why));
  }

  /** Waits for the work, at most that long; rejects as soon as this is stopped, whether or not the work notices. */
  race<T>(work: Promise<T>, ms: number, why: Why): Promise<T> {
    // One promise: a stream waits for each of its pieces, and `Promise.race` makes several.
    return new Promise((resolve, reject) => {
      const cancel = this.#startTimer(ms, why);
      const endWith =
        <V>(settle: (value: V) => void) =>
        (value: V) => {
          cancel();
          this.#waiting.delete(giveUp);
          settle(value);
        };
      const giveUp = () => endWith(reject)(this.signal.reason);
      this.#waiting.add(giveUp);
      work.then(endWith(resolve), endWith(reject));
      if (this.stopped) giveUp();
    });
  }

  /** Removes timers and listeners. */
  dispose(): void {
    for (const undo of this.#undo.splice(0)) undo();
  }
}

/** Waits for the work; rejects with the signal's reason as soon as the signal aborts. */
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

/** Calls back when the signal aborts, at once if it already has; the returned function removes the listener. */
function onAbort(signal: AbortSignal, call: () => void): () => void {
  if (signal.aborted) call();
  else signal.addEventListener('abort', call, { once: true });
  return () => signal.removeEventListener('abort', call);
}
