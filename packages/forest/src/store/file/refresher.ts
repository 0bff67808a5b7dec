/** What others write is seen after this time at the latest. */
const FRESH_MS = 100;

/** Looks for what other processes have written, one look at a time. */
export interface Refresher {
  /** Starts a new look, even if one is under way. */
  now(): Promise<void>;
  /** Looks again only if the last look is too old. */
  fresh(): Promise<void>;
  watch(listener: () => void): () => void;
  tell(): void;
  /** Stops looking; resolves when the current look has ended. */
  stop(): Promise<void>;
}

/** `look` returns whether it found anything. */
export function createRefresher(look: () => Promise<boolean>): Refresher {
  const listeners = new Set<() => void>();
  let current: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let looked = performance.now();
  let timer: ReturnType<typeof setInterval> | undefined;

  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  const run = (): Promise<void> => {
    current = (async () => {
      try {
        const started = performance.now();
        const found = await look();
        looked = started;
        if (found) tell();
      } finally {
        current = undefined;
      }
    })();
    return current;
  };
  const now = (): Promise<void> => {
    if (!current) return run();
    // The current look may have passed the place that the caller is interested in. All such callers share the next
    // look.
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
  const rest = () => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    now,
    fresh: async () => (performance.now() - looked > FRESH_MS || current ? (current ?? now()) : undefined),
    watch(listener) {
      listeners.add(listener);
      timer ??= setInterval(() => current ?? now().catch(() => undefined), FRESH_MS);
      timer.unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) rest();
      };
    },
    tell,
    async stop() {
      rest();
      await (next ?? current)?.catch(() => undefined);
    },
  };
}
