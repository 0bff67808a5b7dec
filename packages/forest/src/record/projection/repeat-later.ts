import { isSkeinError } from '@skein/core';

/** How often a process that records looks for what others stored, or left behind. */
export const LOOK_AGAIN_MS = 30_000;
/** So many failures in a row mean that the store does not come back; whoever records something starts it again. */
const MOST_FAILURES = 100;

/**
 * Repeats a run every thirty seconds from the first call on: a sync may bring exchanges, and a process may die, although nothing is recorded
 * afterwards. It ends with the store, and keeps nothing in memory that nobody uses any more.
 */
export function repeatLater(run: () => Promise<void>): () => void {
  const look = { run, isPlanned: false, failures: 0 };
  return () => {
    if (!look.isPlanned) plan(new WeakRef(look));
    look.isPlanned = true;
  };
}

interface Look {
  readonly run: () => Promise<void>;
  isPlanned: boolean;
  failures: number;
}

function plan(ref: WeakRef<Look>): void {
  const timer = setTimeout(async () => {
    const look = ref.deref();
    if (!look) return;
    try {
      await look.run();
      look.failures = 0;
    } catch (error) {
      // Whoever records something hears of it.
      look.failures += 1;
      look.isPlanned = !isSkeinError(error, 'store_closed') && look.failures < MOST_FAILURES;
    }
    if (look.isPlanned) plan(ref);
  }, LOOK_AGAIN_MS);
  timer.unref?.();
}
