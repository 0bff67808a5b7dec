import type { Recording } from '../api/types.ts';

/** What a recording may have besides what the API promises. */
export interface RecordingFacts {
  readonly firstByte?: number;
  readonly query?: string;
  readonly kind?: string;
  readonly responseBytes?: number;
  readonly error?: string;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly truncated?: boolean;
  readonly redacted?: boolean;
}

export function factsOf(recording: Recording): RecordingFacts {
  return recording as RecordingFacts;
}

/** How a landing stands to what was there before. */
interface LandingFacts {
  readonly way?: 'starts' | 'continues' | 'branches';
  readonly parent?: string;
}

const WAYS = { starts: 'starts a conversation', continues: 'continues one', branches: 'branches off' } as const;

/** Where a call landed, in words. */
export function landingWords({ landing, outcome }: Recording): string {
  if (!landing) return outcome === 'open' ? 'Under way' : 'Not looked at yet';
  if (landing.state === 'waiting') return `Waits: ${landing.why ?? 'for what it goes on from'}`;
  if (landing.state === 'nothing') return landing.why ?? 'No place in the forest';
  const { way } = landing as LandingFacts;
  return way === undefined ? 'In the forest' : `It ${WAYS[way]}`;
}

/** The node to open: the reply, or what was asked where there is none. */
export function landedAt({ landing }: Recording): string | undefined {
  if (landing?.state !== 'landed') return undefined;
  return landing.node ?? (landing as LandingFacts).parent;
}

/** Milliseconds from the request to the end of the answer. */
export function lasted({ start, end }: Recording): number | undefined {
  return end === undefined ? undefined : end - start;
}
