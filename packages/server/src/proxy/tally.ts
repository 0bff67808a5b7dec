/** Counts what is under way. */
export interface Tally {
  readonly add: () => void;
  readonly remove: () => void;
  readonly count: () => number;
  /** When nothing is. */
  readonly none: () => Promise<void>;
}

export function createTally(): Tally {
  let count = 0;
  let waiting: (() => void)[] = [];
  return {
    add: () => {
      count++;
    },
    remove: () => {
      count--;
      if (count > 0) return;
      for (const wake of waiting) wake();
      waiting = [];
    },
    count: () => count,
    none: () =>
      count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
  };
}
