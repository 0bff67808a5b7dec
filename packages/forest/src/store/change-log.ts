import { randomUUID } from 'node:crypto';
import type { Change, Changes } from './store.ts';

/** What has changed since a store was opened. */
export interface ChangeLog {
  add(change: Change): void;
  since(after: string | undefined): Changes;
}

/** Keeps the last `most` changes. Its places mean nothing to another log: there, `reset` says so. */
export function createChangeLog(most = 10_000): ChangeLog {
  const name = randomUUID().slice(0, 8);
  let changes: Change[] = [];
  let dropped = 0;
  return {
    add(change) {
      // Dropped in large pieces: cutting one off the front of a long list moves all the others.
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
