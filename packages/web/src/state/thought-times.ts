import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import type { LiveBlock } from './live-generation.ts';

interface ThoughtTimes {
  readonly of: Readonly<Record<string, number>>;
}

/**
 * How long models thought, in milliseconds, by message and place of the block. Providers do not tell it, so it is measured where
 * the answer streamed, and kept in that browser.
 */
const useThoughtTimes = create<ThoughtTimes>()(
  persist((): ThoughtTimes => ({ of: {} }), { name: 'skein.thoughts', version: 1 }),
);

export function useThoughtTime(node: string, place: number): number | undefined {
  return useThoughtTimes(({ of }) => of[`${node}:${place}`]);
}

/** What is shorter was not watched: the events of a page that was loaded later come all at once. */
const LEAST_MS = 200;
/** The oldest beyond these are forgotten. */
const MOST_KEPT = 1000;

/** Remembers the times of a message that is complete. */
export function rememberThoughts(node: string, blocks: readonly LiveBlock[]): void {
  const times = blocks.flatMap(({ since, until }, place) => {
    const ms = since === undefined ? 0 : (until ?? Date.now()) - since;
    return ms < LEAST_MS ? [] : [[`${node}:${place}`, ms] as const];
  });
  if (times.length === 0) return;
  useThoughtTimes.setState(({ of }) => ({
    of: Object.fromEntries([...Object.entries(of), ...times].slice(-MOST_KEPT)),
  }));
}
