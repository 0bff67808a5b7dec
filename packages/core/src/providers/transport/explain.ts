import { ProviderError } from './errors.ts';
import { redact, redactError } from './redact.ts';
import type { Stopped } from './timeouts.ts';

const TOO_LONG = { connectMs: 'no answer within', idleMs: 'nothing came for', totalMs: 'not done within' };

/** What to say of whatever ended an attempt: the caller gave up, a time limit was reached, or the connection failed. */
export function explain(
  error: unknown,
  stopped: Stopped | undefined,
  secrets: readonly string[],
): { readonly problem: string; readonly cause: unknown } {
  if (stopped?.by === 'caller') return { problem: 'aborted', cause: redactError(stopped.reason, secrets) };
  // What went wrong before the time was up is the cause of that.
  if (stopped)
    return {
      problem: `${TOO_LONG[stopped.by]} ${stopped.ms / 1000} s`,
      cause: error instanceof ProviderError ? error : undefined,
    };
  return {
    problem: redact(`the connection failed: ${messageOf(error)}`, secrets),
    cause: redactError(error, secrets),
  };
}

/** `fetch failed` says nothing; its cause does. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message ? `${error.message}: ${cause.message}` : error.message;
}
