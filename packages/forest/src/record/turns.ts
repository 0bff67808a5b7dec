/** The longest time before other work gets its turn, in milliseconds. */
const SLICE_MS = 0.25;

/** Lets all that is ready go first: what passes through a server is never kept waiting by what is written of it. */
export function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Returns a function to be called between the steps of long work: it gives others their turn when a slice is over. */
export function sliceWork(): () => Promise<void> | undefined {
  let until = performance.now() + SLICE_MS;
  return () => {
    if (performance.now() < until) return undefined;
    return turnOfOthers().then(() => {
      until = performance.now() + SLICE_MS;
    });
  };
}
