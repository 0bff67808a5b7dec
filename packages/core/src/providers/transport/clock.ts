import { unlessAborted } from './stopper.ts';

/** Time, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once, later; the function it gives cancels that. */
  setTimer(ms: number, fire: () => void): () => void;
}

/** Longer waits overflow, and then fire at once. */
const LONGEST = 2 ** 31 - 1;

export const realClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, fire) {
    const timer = setTimeout(fire, Math.min(ms, LONGEST));
    return () => clearTimeout(timer);
  },
};

/** Waits; rejects with the signal's reason as soon as that aborts. */
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
