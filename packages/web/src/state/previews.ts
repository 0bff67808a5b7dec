import { useEffect } from 'react';
import { create } from 'zustand';
import { api, unwrap } from '../api/client.ts';
import type { Preview } from '../api/types.ts';
import { plainLine } from './plain-words.ts';

/** Previews of nodes. The content of a node never changes, so each preview is fetched once. */
export const usePreviews = create<{ readonly of: ReadonlyMap<string, Preview> }>(() => ({ of: new Map() }));

/** The most previews per request. */
const PAGE = 200;
/** Requests are collected for this long, because rows and cards appear in bursts. */
const WAIT_MS = 40;

const asked = new Set<string>();
const waiting: string[] = [];
let isComing = false;

/** Fetches the missing previews in the next batch. */
export function requestPreviews(ids: Iterable<string>): void {
  for (const id of ids) {
    if (asked.has(id)) continue;
    asked.add(id);
    waiting.push(id);
  }
  if (!isComing) fetchSoon();
}

function fetchSoon(): void {
  isComing = waiting.length > 0;
  if (isComing) setTimeout(() => void fetchWaiting(), WAIT_MS);
}

export function useRequestedPreviews(ids: readonly string[]): ReadonlyMap<string, Preview> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is another one at every drawing, what it holds is not
  useEffect(() => requestPreviews(ids), [ids.join()]);
  return usePreviews((state) => state.of);
}

async function fetchWaiting(): Promise<void> {
  const ids = waiting.splice(0, PAGE);
  fetchSoon();
  try {
    const { items } = await unwrap(api.previews.$get({ query: { ids: ids.join() } }));
    usePreviews.setState(({ of }) => ({
      of: new Map([...of, ...items.map((one) => [one.id, { ...one, text: plainLine(one.text) }] as const)]),
    }));
  } catch {
    // The rows stay without a preview; the next request for them tries again.
    for (const id of ids) asked.delete(id);
  }
}
