import { ProviderError } from './errors.ts';
import { redact, redactError } from './redact.ts';
import type { Asked } from './response-error.ts';
import type { Stopped } from './timeouts.ts';

/** Whatever ended an attempt, as one kind of error. */
export function failureOf(error: unknown, stopped: Stopped | undefined, asked: Asked): ProviderError {
  if (stopped) return stoppedError(stopped, asked);
  const problem = redact(`the connection failed: ${explain(error)}`, asked.secrets);
  return new ProviderError(problem, {
    ...asked,
    code: 'connection',
    retryable: true,
    cause: redactError(error, asked.secrets),
  });
}

const TOO_LONG = { connectMs: 'no answer within', idleMs: 'nothing came for', totalMs: 'not done within' };

/** An end from our side: the caller gave up, or a time limit was reached. */
export function stoppedError(stopped: Stopped, asked: Asked, cause?: unknown): ProviderError {
  if (stopped.by === 'caller') {
    const reason = redactError(stopped.reason, asked.secrets);
    return new ProviderError('aborted', { ...asked, code: 'aborted', retryable: false, cause: reason });
  }
  const { by, ms } = stopped;
  return new ProviderError(`${TOO_LONG[by]} ${ms / 1000} s`, {
    ...asked,
    code: 'timeout',
    retryable: by !== 'totalMs',
    cause,
  });
}

/** `fetch failed` says nothing; its cause does. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message ? `${error.message}: ${cause.message}` : error.message;
}
