import type { Recording } from '../api/types.ts';

const WAYS = { starts: 'starts a conversation', continues: 'continues one', branches: 'branches off' } as const;

/** Where a call landed, in words. */
export function landingWords({ landing, outcome }: Recording): string {
  if (!landing) return outcome === 'open' ? 'Under way' : 'Not looked at yet';
  if (landing.state === 'waiting') return `Waits: ${landing.why ?? 'for what it goes on from'}`;
  if (landing.state === 'nothing') return landing.why ?? 'No place in the forest';
  return landing.way === undefined ? 'In the forest' : `It ${WAYS[landing.way]}`;
}

/** The node to open: the reply, or what was asked where there is none. */
export function landedAt({ landing }: Recording): string | undefined {
  if (landing?.state !== 'landed') return undefined;
  return landing.node ?? landing.parent;
}

/** Milliseconds from the request to the end of the answer. */
export function lasted({ start, end }: Recording): number | undefined {
  return end === undefined ? undefined : end - start;
}
