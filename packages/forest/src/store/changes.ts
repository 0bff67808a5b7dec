import { randomUUID } from 'node:crypto';
import type { Change, Changes } from './store.ts';

/** The changes since a store was opened. */
interface ChangeLog {
  add(change: Change): void;
  since(after: string | undefined): Changes;
}

/** Keeps the last `most` changes. Cursors of another log get `reset`. */
export function createChangeLog(most = 10_000): ChangeLog {
  const name = randomUUID().slice(0, 8);
  let changes: Change[] = [];
  let dropped = 0;
  return {
    add(change) {
      // Dropped in large pieces, because removing one from the front of a long list moves all others.
      if (changes.length >= most * 2) {
        dropped += changes.length - most;
        changes = changes.slice(-most);
      }
      changes.push(change);
    },
    since(after) {
      const next = `${name}.${dropped + changes.length}`;
      if (after === undefined) return { items: [], next, reset: false };
      const [, log, digits] = /^([^.]*)\.(\d+)$/.exec(after) ?? [];
      const start = Number(digits) - dropped;
      if (log !== name || !(start >= 0 && start <= changes.length)) return { items: [], next, reset: true };
      return { items: changes.slice(start), next, reset: false };
    },
  };
}

/** Something that calls listeners when there may be changes. */
interface Watched {
  watch(listener: () => void): () => void;
}

/** Resolves at the next call, after `pollMs` milliseconds at the latest, or when the signal is aborted. */
export function nextChange(
  watched: Watched,
  pollMs: number,
  signal?: AbortSignal,
): { readonly promise: Promise<void>; cancel(): void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const timer = setTimeout(resolve, pollMs);
  const unwatch = watched.watch(resolve);
  signal?.addEventListener('abort', resolve, { once: true });
  return {
    promise,
    cancel() {
      clearTimeout(timer);
      unwatch();
      signal?.removeEventListener('abort', resolve);
    },
  };
}
