import { nextChange } from '../store/changes.ts';
import type { Changes } from '../store/index.ts';
import type { Forest } from './types.ts';

/** How often to look when nobody calls, in milliseconds. */
const POLL_MS = 1000;

/** What changes, by whomever, from behind a cursor on and as it comes, until the signal is given. */
export async function* followChanges(
  forest: Pick<Forest, 'changes' | 'watch'>,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Changes> {
  for (let cursor = after; !signal.aborted; ) {
    const woken = nextChange(forest, POLL_MS, signal);
    try {
      const found = await forest.changes(cursor);
      cursor = found.next;
      if (found.reset || found.items.length > 0) yield found;
      if (!signal.aborted) await woken.promise;
    } finally {
      woken.cancel();
    }
  }
}
