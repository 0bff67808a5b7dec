/** What others write is seen at the latest after this time. */
const FRESH_MS = 100;

/** When to look for what others have written. Looking is never done twice at once. */
export interface Refresher {
  /** As of now: looks once more, whatever is under way. */
  now(): Promise<void>;
  /** As of a moment ago. */
  fresh(): Promise<void>;
  watch(listener: () => void): () => void;
  tell(): void;
  /** Looks no more, once the look that is under way has ended. */
  stop(): Promise<void>;
}

/** `look` says whether it found anything. */
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
    // Who asks while a look is under way may ask for what it has passed already: all those share the next one.
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
