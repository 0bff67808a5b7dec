import { create } from 'zustand';
import { api, unwrap } from '../api/client.ts';
import type { Summary, Thread } from '../api/types.ts';

/** How conversations begin and end, their size and cost. Rows ask for it when they are on screen. */
export const useSummaries = create<{ readonly of: ReadonlyMap<string, Summary> }>(() => ({ of: new Map() }));

/** A row that scrolls past faster than this asks for nothing, in milliseconds. */
const SETTLED_MS = 150;

/** The most conversations per request. */
const PAGE = 50;

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
  for (let at = 0; at < threads.length; at += PAGE) await fetchPage(threads.slice(at, at + PAGE));
}

async function fetchPage(threads: readonly Thread[]): Promise<void> {
  for (const { id, updatedAt } of threads) fetched.set(id, updatedAt);
  const query = { ids: threads.map(({ id }) => id).join() };
  const found = await unwrap(api.summaries.$get({ query })).catch(() => undefined);
  // They are asked for again when their rows are drawn again.
  if (!found) for (const { id } of threads) fetched.delete(id);
  else
    useSummaries.setState(({ of }) => ({ of: new Map([...of, ...found.items.map((one) => [one.id, one] as const)]) }));
}
