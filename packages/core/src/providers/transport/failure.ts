import { isProviderError, ProviderError } from './errors.ts';
import { redact, redactError } from './redact.ts';
import type { Asked } from './response-error.ts';
import type { Stopped, Stopper } from './timeouts.ts';

/** Whatever ended an attempt, as one kind of error. */
export function failureOf(error: unknown, { stopped }: Stopper, asked: Asked): ProviderError {
  if (isProviderError(error)) return error;
  return stopped ? stoppedError(stopped, asked) : connectionError(error, asked);
}

/** An end from our side: the caller gave up, or a time limit was reached. */
export function stoppedError(stopped: Stopped, asked: Asked, cause?: unknown): ProviderError {
  const { provider, model, secrets } = asked;
  if (stopped.by === 'caller') {
    const reason = redactError(stopped.reason, secrets);
    return new ProviderError('aborted', { provider, model, code: 'aborted', retryable: false, cause: reason });
  }
  const seconds = `${stopped.ms / 1000} s`;
  const problem = {
    connectMs: `no answer within ${seconds}`,
    idleMs: `nothing came for ${seconds}`,
    totalMs: `not done within ${seconds}`,
  }[stopped.by];
  return new ProviderError(problem, {
    provider,
    model,
    code: 'timeout',
    retryable: stopped.by !== 'totalMs',
    cause,
  });
}

function connectionError(error: unknown, { provider, model, secrets }: Asked): ProviderError {
  const problem = redact(`the connection failed: ${explain(error)}`, secrets);
  const cause = redactError(error, secrets);
  return new ProviderError(problem, { provider, model, code: 'connection', retryable: true, cause });
}

/** `fetch failed` says nothing; its cause does. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message ? `${error.message}: ${cause.message}` : error.message;
}
