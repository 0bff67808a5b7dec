import { createClock } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { appendAt } from './append.ts';
import { bookmarksOf } from './bookmarks.ts';
import { contextChangesOf } from './context-changes.ts';
import { lookingOf } from './looking.ts';
import { marksOfNodes } from './marks.ts';
import { matchHistory } from './match.ts';
import { observeHistory } from './observe.ts';
import { placeBelow } from './place.ts';
import { readingOf } from './reading.ts';
import { seeingContext } from './refs.ts';
import { rehangingOf } from './rehanging.ts';
import { resolveId } from './resolve.ts';
import { searchOf } from './search.ts';
import { threadsOf } from './threads.ts';
import type { Forest } from './types.ts';
import { upkeepOf } from './upkeep.ts';
import { usageOf } from './usage.ts';

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
