import { create } from 'zustand';
import { api, unwrap } from '../api/client.ts';
import type { Summary, Thread } from '../api/types.ts';

/** How conversations begin and end, their size and cost. Rows ask for it when they are on screen. */
export const useSummaries = create<{ readonly of: ReadonlyMap<string, Summary> }>(() => ({ of: new Map() }));

/** A row that scrolls past faster than this asks for nothing, in milliseconds. */
const SETTLED_MS = 150;

/** The change of a conversation that each summary was fetched for. */
const fetched = new Map<string, number>();
const waiting = new Map<string, Thread>();
let isComing = false;

/** Fetches the summary of a conversation, unless it is known or the returned function is called soon. */
export function requestSummary(thread: Thread): () => void {
  if (fetched.get(thread.id) === thread.updatedAt) return () => undefined;
  waiting.set(thread.id, thread);
  if (!isComing) setTimeout(() => void fetchWaiting(), SETTLED_MS);
  isComing = true;
  return () => void waiting.delete(thread.id);
}

async function fetchWaiting(): Promise<void> {
  isComing = false;
  const threads = [...waiting.values()];
  waiting.clear();
  const found = await Promise.all(
    threads.map(async ({ id, updatedAt }) => {
      fetched.set(id, updatedAt);
      const summary = await unwrap(api.threads[':thread'].summary.$get({ param: { thread: id } })).catch(
        () => undefined,
      );
      // It is asked for again when the row is drawn again.
      if (!summary) fetched.delete(id);
      return summary && ([id, summary] as const);
    }),
  );
  const known = found.filter((one) => one !== undefined);
  if (known.length > 0) useSummaries.setState(({ of }) => ({ of: new Map([...of, ...known]) }));
}
