import { nextChange } from '../store/changes.ts';
import type { Store } from '../store/index.ts';
import { eventId } from './event-writer.ts';
import { readGeneration } from './generation-record.ts';
import { EngineError, type StoredEvent } from './types.ts';

/** How often to look when nobody calls, in milliseconds. */
const POLL_MS = 200;

/** An id like those of events, before the first. */
const BEFORE_ALL = eventId(0);

/** Refuses what is no event's id: nothing stands behind it, and whoever follows would wait in vain. */
export function refuseOtherIds(generation: string, after: string | undefined): void {
  if (after === undefined || /^\d{10}$/.test(after)) return;
  throw new EngineError(
    'bad_event',
    generation,
    `"${after.slice(0, 40)}" is not the id of an event: give one that was told, such as ${eventId(1)}, or none.`,
  );
}

/** Stored events from behind an id until the generation has ended, whoever writes them. */
export async function* follow(store: Store, generation: string, after?: string): AsyncGenerator<StoredEvent> {
  let last = after ?? BEFORE_ALL;
  for (;;) {
    const woken = nextChange(store, POLL_MS);
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
