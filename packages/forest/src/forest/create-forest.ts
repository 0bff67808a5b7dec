import type { Message } from '@skein/core';
import { createClock } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { appendAt } from './append.ts';
import type { Context } from './context.ts';
import { matchHistory } from './match.ts';
import { observeHistory } from './observe.ts';
import { placeBelow } from './place.ts';
import { readingOf } from './reading.ts';
import { resolveId } from './resolve.ts';
import { threadsOf } from './threads.ts';
import type { Forest, TakeFacts } from './types.ts';

/** A forest on a store. */
export function createForest(store: Store, { project = 'default', now = Date.now } = {}) {
  const context: Context = { store, clock: createClock(store.writer, now) };
  return {
    project,
    ...context,
    async append(parent: string, messages: readonly Message[], take?: TakeFacts) {
      const place = await placeBelow(store, await resolveId(store, parent));
      return (await appendAt(context, place, messages, take)).at(-1) ?? place.id;
    },
    observe: (messages: readonly Message[], take?: TakeFacts) => observeHistory(context, messages, take),
    match: (messages: readonly Message[]) => matchHistory(store, messages),
    ...readingOf(context),
    threads: threadsOf(context),
    changes: (after?: string) => store.changes(after),
    watch: (listener: () => void) => store.watch(listener),
    close: () => store.close(),
  } satisfies Partial<Forest>;
}
