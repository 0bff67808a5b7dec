import type { Stop, StopReason } from '../reply.ts';

/** An open list: words that are not here are `unknown`. */
const REASONS: Readonly<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'length',
  CONTINUATION: 'pause',
  SAFETY: 'filter',
  RECITATION: 'filter',
  LANGUAGE: 'filter',
  BLOCKLIST: 'filter',
  PROHIBITED_CONTENT: 'filter',
  SPII: 'filter',
  MODEL_ARMOR: 'filter',
  IMAGE_SAFETY: 'filter',
  IMAGE_PROHIBITED_CONTENT: 'filter',
  IMAGE_RECITATION: 'filter',
  MALFORMED_FUNCTION_CALL: 'error',
  MALFORMED_RESPONSE: 'error',
  MISSING_THOUGHT_SIGNATURE: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  NO_IMAGE: 'error',
  IMAGE_OTHER: 'error',
};

/** Google says STOP also when the model calls tools. */
export function stopOf(finishReason: unknown, hasCalls: boolean): Stop {
  if (typeof finishReason !== 'string') return { reason: 'unknown', native: undefined };
  const reason = Object.hasOwn(REASONS, finishReason) ? REASONS[finishReason]! : 'unknown';
  return { reason: reason === 'end' && hasCalls ? 'tool-use' : reason, native: finishReason };
}

/** The stop of a prompt that was not answered at all. */
export function blockedStop(blockReason: unknown): Stop {
  return typeof blockReason === 'string'
    ? { reason: 'filter', native: blockReason }
    : { reason: 'unknown', native: undefined };
}
