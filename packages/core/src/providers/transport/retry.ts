import { realClock, sleep } from './clock.ts';
import type { ProviderError } from './errors.ts';
import type { ExchangeOptions } from './exchange-options.ts';

/** How failed requests are sent again. */
export interface RetryOptions {
  /** How often after the first time; 0 for never. */
  readonly maxRetries: number;
  /** The longest first wait; it doubles each time. */
  readonly baseMs: number;
  /** The longest wait of our own choice. */
  readonly capMs: number;
  /** The longest wait that a provider can ask for. */
  readonly maxRetryAfterMs: number;
}

export const DEFAULT_RETRY: RetryOptions = { maxRetries: 2, baseMs: 1000, capMs: 30_000, maxRetryAfterMs: 60_000 };

/** Milliseconds to wait before sending again after that many attempts; undefined to give up. */
export function retryWait(
  attempts: number,
  failure: { readonly retryable: boolean; readonly retryAfterMs?: number | undefined },
  options: RetryOptions,
  random: () => number,
): number | undefined {
  if (!failure.retryable || attempts > options.maxRetries) return undefined;
  if (failure.retryAfterMs !== undefined) return Math.min(failure.retryAfterMs, options.maxRetryAfterMs);
  // Full jitter: callers that failed together do not come back together.
  return Math.round(random() * Math.min(options.capMs, options.baseMs * 2 ** (attempts - 1)));
}

/** Waits before sending again; false where there is no sense in it, or the wait was ended. */
export async function waitToRetry(
  error: ProviderError,
  { clock = realClock, retry, random = Math.random, onRetry }: ExchangeOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { attempts } = error;
  const options = { ...DEFAULT_RETRY, ...(retry === false ? { maxRetries: 0 } : retry) };
  const waitMs = retryWait(attempts, error, options, random);
  if (waitMs === undefined) return false;
  onRetry?.({ attempts, waitMs, error });
  return sleep(clock, waitMs, signal).then(
    () => true,
    () => false,
  );
}
