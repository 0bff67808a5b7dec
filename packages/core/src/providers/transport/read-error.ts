/** Reading and wording errors, and the waits between attempts. Loaded with the first failure. */
import { isJson } from '../../json/index.ts';
import { realClock, sleep } from './clock.ts';
import {
  classifyError,
  describeResponse,
  type ErrorContext,
  isRetryable,
  readErrorBody,
  streamError,
  summarizeText,
} from './error-body.ts';
import type { ExchangeOptions, RetryOptions } from './exchange.ts';
import { ProviderError, readRateLimits, readRequestId, type StopCause } from './provider-error.ts';
import { redact, redactError } from './redact.ts';

export { streamError } from './error-body.ts';
export { findSecrets } from './redact.ts';

/** The error that a response with a bad status reports. */
export function responseError(response: Response, text: string, context: ErrorContext, now: number): ProviderError {
  const { status, headers } = response;
  const body = readErrorBody(text);
  // AWS names the kind of an error in a header: `ThrottlingException:http://…`.
  const kind = headers.get('x-amzn-errortype')?.split(':', 1) ?? [];
  const code = classifyError(status, { ...body, words: [...body.words, ...kind] });
  // The servers of OpenAI and Anthropic send this header where the status alone would mislead.
  const advice = headers.get('x-should-retry');
  const requestId = readRequestId(headers);
  const facts = {
    ...context,
    code,
    status,
    requestId,
    retryable: advice === 'true' || (advice !== 'false' && isRetryable(status, code)),
    rawBody: redact(text, context.secrets),
    retryAfterMs: readRetryAfter(headers, now) ?? body.retryAfterMs,
    rateLimits: readRateLimits(headers),
  };
  const problem = body.message ?? (describeRedirect(headers) || summarizeText(text) || 'no explanation');
  return new ProviderError(redact(`${problem} ${describeResponse(response)}`, context.secrets), facts);
}

/** The error of a response that should be a stream but is one text: an error, another reply in JSON, or a page. */
export function unstreamedError(response: Response, text: string, context: ErrorContext): ProviderError {
  if (readErrorBody(text).message !== undefined) return streamError(text, context, response);
  const problem = 'a stream was requested, but the reply is not one';
  if (!isJson(text)) return unreadableError(response, text, new Error(`${problem}: ${summarizeText(text)}`), context);
  return new ProviderError(`${problem} ${describeResponse(response)}`, {
    ...context,
    code: 'stream_error',
    status: response.status,
    requestId: readRequestId(response.headers),
    retryable: false,
    rawBody: redact(text, context.secrets),
  });
}

/** The error of a response with a good status that cannot be read: it is not this protocol. */
export function unreadableError(
  response: Response,
  text: string,
  error: unknown,
  context: ErrorContext,
): ProviderError {
  const { status, headers } = response;
  const cause = redactError(error, context.secrets);
  return new ProviderError(`${cause instanceof Error ? cause.message : cause} ${describeResponse(response)}`, {
    ...context,
    code: 'not_this_protocol',
    status,
    requestId: readRequestId(headers),
    retryable: false,
    rawBody: redact(text, context.secrets),
    cause,
  });
}

/** Redirects are not followed: most headers that carry keys would travel along. */
function describeRedirect(headers: Headers): string | undefined {
  const target = headers.get('location');
  if (!target || !URL.canParse(target)) return undefined;
  return `redirects to ${new URL(target).host}; give that as the base address if you trust it`;
}

/** How long a response asks to wait: in milliseconds, in seconds, or until a date. */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = number(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const text = headers.get('retry-after');
  const seconds = number(text);
  if (seconds !== undefined) return seconds * 1000;
  // Parsers of dates take almost anything, `-5` too.
  const date = text !== null && /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function number(text: string | null): number | undefined {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

const TOO_LONG = { connectMs: 'no answer within', idleMs: 'nothing came for', totalMs: 'not done within' };

/** Says what ended an attempt: the caller gave up, a time limit was reached, or the connection failed. */
export function explainInterruption(
  error: unknown,
  stopped: StopCause | undefined,
  secrets: readonly string[],
): { readonly problem: string; readonly cause: unknown } {
  if (stopped?.by === 'caller') return { problem: 'aborted', cause: redactError(stopped.reason, secrets) };
  // What went wrong before the time was up is its cause.
  if (stopped)
    return {
      problem: `${TOO_LONG[stopped.by]} ${stopped.ms / 1000} s`,
      cause: error instanceof ProviderError ? error : undefined,
    };
  return {
    problem: redact(`the connection failed: ${describeFailure(error)}`, secrets),
    cause: redactError(error, secrets),
  };
}

/** `fetch failed` says nothing; its cause does. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message ? `${error.message}: ${cause.message}` : error.message;
}

export const DEFAULT_RETRY: RetryOptions = { maxRetries: 2, baseMs: 1000, capMs: 30_000, maxRetryAfterMs: 60_000 };

/** Milliseconds to wait before the next attempt; undefined when there should be none. */
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

/** Waits before the next attempt; false when there should be none, or the wait was ended. */
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
