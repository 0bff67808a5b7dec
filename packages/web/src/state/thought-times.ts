import { create } from 'zustand';
import type { LiveBlock } from './live-generation.ts';

/** How long models thought, in milliseconds, by message and place of the block: measured where the answer streamed. */
const useThoughtTimes = create<{ readonly of: ReadonlyMap<string, number> }>(() => ({ of: new Map() }));

export function useThoughtTime(node: string, place: number): number | undefined {
  return useThoughtTimes(({ of }) => of.get(`${node}:${place}`));
}

/** What is shorter was not watched: the events of a page that was loaded later come all at once. */
const LEAST_MS = 200;

/** Remembers the times of a message that is complete. */
export function rememberThoughts(node: string, blocks: readonly LiveBlock[]): void {
  const times = blocks.flatMap(({ since, until }, place) => {
    const ms = since === undefined ? 0 : (until ?? Date.now()) - since;
    return ms < LEAST_MS ? [] : [[`${node}:${place}`, ms] as const];
  });
  if (times.length > 0) useThoughtTimes.setState(({ of }) => ({ of: new Map([...of, ...times]) }));
}
