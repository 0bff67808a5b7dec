import { createClock } from '../model/index.ts';
import { nextChange } from '../store/changes.ts';
import type { Changes, Store } from '../store/index.ts';
import { type Context, seeingContext } from './context.ts';
import { checkForest } from './fsck.ts';
import { collectGarbage } from './gc.ts';
import { lookingOf, readingOf } from './read/queries.ts';
import { resolveId } from './read/resolve.ts';
import { searchOf } from './read/search.ts';
import { contextChangesOf } from './read/sent-context.ts';
import { usageOf } from './read/usage.ts';
import { threadsOf } from './threads/threads.ts';
import type { Forest } from './types.ts';
import { appendAt } from './write/append.ts';
import { placeBelow } from './write/append-point.ts';
import { bookmarksOf } from './write/bookmarks.ts';
import { rehangingOf } from './write/edit.ts';
import { marksOfNodes } from './write/marks.ts';
import { matchHistory, observeHistory } from './write/match.ts';
import { settleAll } from './write/reparent.ts';

/** A forest on a store. */
export function createForest(store: Store, { project = 'default', now = Date.now } = {}): Forest {
  const clock = createClock(store.writer, now);
  const context = seeingContext(store, clock);
  const threads = threadsOf(context);
  return {
    project,
    // Whoever writes past the forest sees the same stamps.
    store: context.store,
    clock,
    async append(parent, messages, take) {
      const place = await placeBelow(context.store, await resolveId(context.store, parent));
      return (await appendAt(context, place, messages, take)).at(-1) ?? place.id;
    },
    observe: (messages, take) => observeHistory(context, messages, take),
    match: (messages) => matchHistory(context.store, messages),
    ...readingOf(context),
    ...lookingOf(context),
    contextChanges: contextChangesOf(context, threads),
    ...rehangingOf(context),
    ...marksOfNodes(context),
    ...upkeepOf(context),
    threads,
    bookmarks: bookmarksOf(context),
    search: searchOf(context),
    usage: usageOf(context, threads),
    changes: (after) => store.changes(after),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
  };
}

/** What keeps a store in order. */
function upkeepOf(context: Context): Pick<Forest, 'fsck' | 'settle' | 'gc' | 'pack'> {
  return {
    fsck: () => checkForest(context.store),
    settle: async () => ({ moved: await settleAll(context) }),
    gc: (options) => collectGarbage(context, options),
    pack: () => context.store.compact(() => true),
  };
}

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
