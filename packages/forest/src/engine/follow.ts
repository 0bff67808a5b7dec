import type { Store } from '../store/index.ts';
import { readGeneration } from './generation-record.ts';
import type { StoredEvent } from './types.ts';

/** How often to look when nobody calls, in milliseconds. */
const POLL_MS = 200;

/** Stored events from behind an id until the generation has ended, whoever writes them. */
export async function* follow(store: Store, generation: string, after = ''): AsyncGenerator<StoredEvent> {
  let last = after;
  for (;;) {
    const woken = nextChange(store);
    try {
      // Read before the events: what is stored when it ended is then seen below.
      const { status, endedAt } = await readGeneration(store, generation);
      let hasEnd = false;
      for (let more = true; more; ) {
        const page = await store.entries('event', { of: generation, afterOrder: last, limit: 100 });
        for (const { data } of page.items) {
          for (const event of data.events as readonly StoredEvent[]) {
            if (event.id <= last) continue;
            last = event.id;
            yield event;
            hasEnd = event.event.type === 'end';
          }
        }
        more = page.next !== undefined;
      }
      if (status !== 'running') {
        // Its process died. The id is that of the event before, so that going on loses nothing of what may follow.
        if (endedAt === undefined) yield { id: last, branch: 0, event: { type: 'end', status } };
        return;
      }
      // An end that was told may be that of before it was taken up again: what its state says counts.
      if (!hasEnd) await woken.promise;
    } finally {
      woken.cancel();
    }
  }
}

function nextChange(store: Store): { readonly promise: Promise<void>; cancel(): void } {
  const { promise, resolve } = withResolvers();
  const timer = setTimeout(resolve, POLL_MS);
  const unwatch = store.watch(resolve);
  return {
    promise,
    cancel() {
      clearTimeout(timer);
      unwatch();
    },
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
