import type { Stop, StopReason } from '../reply.ts';

/** An open list: words that are not here are `unknown`. */
const REASONS: readonly (readonly [RegExp, StopReason])[] = [
  [/^STOP$/, 'end'],
  [/^MAX_TOKENS$/, 'length'],
  [/^CONTINUATION$/, 'pause'],
  [/SAFETY|RECITATION|PROHIBITED|LANGUAGE|BLOCKLIST|SPII|MODEL_ARMOR/, 'filter'],
  [/^(MALFORMED|MISSING|UNEXPECTED|TOO_MANY|NO_IMAGE|IMAGE_OTHER)/, 'error'],
];

/** Google says STOP also when the model calls tools. */
export function stopOf(native: unknown, hasCalls: boolean): Stop {
  if (typeof native !== 'string') return { reason: 'unknown', native: undefined };
  const reason = REASONS.find(([words]) => words.test(native))?.[1] ?? 'unknown';
  return { reason: reason === 'end' && hasCalls ? 'tool-use' : reason, native };
}

/** The stop of a prompt that was not answered at all. */
export function blockedStop(native: unknown): Stop {
  return typeof native === 'string' ? { reason: 'filter', native } : stopOf(native, false);
}
