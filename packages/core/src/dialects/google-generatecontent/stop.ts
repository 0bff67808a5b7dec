import type { Stop, StopReason } from '../reply.ts';

/** An open list: words that are not here are `unknown`. */
const REASONS: readonly (readonly [RegExp, StopReason])[] = [
  [/^STOP$/, 'end'],
  [/^MAX_TOKENS$/, 'length'],
  [/^CONTINUATION$/, 'pause'],
  [/^(?:IMAGE_)?(?:SAFETY|RECITATION|PROHIBITED_CONTENT|LANGUAGE|BLOCKLIST|SPII|MODEL_ARMOR)$/, 'filter'],
  [/^(?:MALFORMED_|MISSING_|UNEXPECTED_|TOO_MANY_|NO_IMAGE|IMAGE_OTHER)/, 'error'],
];

/** Google says STOP also when the model calls tools. */
export function stopOf(finishReason: unknown, hasCalls: boolean): Stop {
  if (typeof finishReason !== 'string') return { reason: 'unknown', native: undefined };
  const reason = REASONS.find(([words]) => words.test(finishReason))?.[1] ?? 'unknown';
  return { reason: reason === 'end' && hasCalls ? 'tool-use' : reason, native: finishReason };
}

/** The stop of a prompt that was not answered at all. */
export function blockedStop(blockReason: unknown): Stop {
  return typeof blockReason === 'string'
    ? { reason: 'filter', native: blockReason }
    : { reason: 'unknown', native: undefined };
}
