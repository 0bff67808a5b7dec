import { readErrorBody } from './error-body.ts';
import { codeOf, isRetryable } from './error-code.ts';
import { ProviderError } from './errors.ts';
import { redact, redactError } from './redact.ts';
import { requestIdOf } from './request-id.ts';
import { retryAfter } from './retry-after.ts';

/** Who was asked, and what must not be shown of it. */
export interface Asked {
  readonly provider: string;
  readonly model: string;
  readonly secrets: readonly string[];
}

/** The error that a response with a bad status tells of. */
export function responseError(response: Response, text: string, asked: Asked, now: number): ProviderError {
  const { status, headers } = response;
  const body = readErrorBody(text);
  const code = codeOf(status, body);
  // Both big vendors' servers say so when they know better than the status does.
  const told = headers.get('x-should-retry');
  const requestId = requestIdOf(headers);
  const facts = {
    ...asked,
    code,
    status,
    requestId,
    retryable: told === 'true' || (told !== 'false' && isRetryable(status, code)),
    rawBody: redact(text, asked.secrets),
    retryAfterMs: retryAfter(headers, now) ?? body.retryAfterMs,
  };
  const problem = body.message ?? (location(headers) || summary(text) || 'no explanation');
  return new ProviderError(redact(`${problem} ${place(response)}`, asked.secrets), facts);
}

/**
 * The error that an event of a stream tells of, after a response that began well. Where the whole body tells of it,
 * `response` is given.
 */
export function streamError(
  data: string,
  asked: Omit<Asked, 'secrets'> & Partial<Asked>,
  response?: Response,
): ProviderError {
  const { provider, model, secrets = [] } = asked;
  const body = readErrorBody(data);
  const code = codeOf(undefined, body);
  const problem = body.message ?? (summary(data) || 'no explanation');
  return new ProviderError(redact(`${problem} ${response ? place(response) : '(in the stream)'}`, secrets), {
    provider,
    model,
    code,
    ...(response && { status: response.status, requestId: requestIdOf(response.headers) }),
    // An error that nobody explains may well be gone the next time.
    retryable: code === 'stream_error' || isRetryable(undefined, code),
    rawBody: redact(data, secrets),
    retryAfterMs: body.retryAfterMs,
  });
}

/** The error of a response that should be a stream and is one text: an error, another reply in JSON, or a page. */
export function unstreamedError(response: Response, text: string, asked: Asked): ProviderError {
  if (readErrorBody(text).message !== undefined) return streamError(text, asked, response);
  const problem = 'a stream was asked for, but the reply is none';
  if (!isJson(text)) return strangeError(response, text, new Error(`${problem}: ${summary(text)}`), asked);
  return new ProviderError(`${problem} ${place(response)}`, {
    ...asked,
    code: 'stream_error',
    status: response.status,
    requestId: requestIdOf(response.headers),
    retryable: false,
    rawBody: redact(text, asked.secrets),
  });
}

/** The error of a response that began well and cannot be read: it is not this protocol. */
export function strangeError(response: Response, text: string, error: unknown, asked: Asked): ProviderError {
  const { status, headers } = response;
  const cause = redactError(error, asked.secrets);
  return new ProviderError(`${cause instanceof Error ? cause.message : cause} ${place(response)}`, {
    ...asked,
    code: 'not_this_protocol',
    status,
    requestId: requestIdOf(headers),
    retryable: false,
    rawBody: redact(text, asked.secrets),
    cause,
  });
}

/** Where an error was told: by the response as a whole. */
function place({ status, headers }: Response): string {
  const requestId = requestIdOf(headers);
  return `(${status}${requestId ? `, request ${requestId}` : ''})`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Redirects are not followed: most headers that carry keys would travel along. */
function location(headers: Headers): string | undefined {
  const target = headers.get('location');
  if (!target || !URL.canParse(target)) return undefined;
  return `redirects to ${new URL(target).host}; give that as the base address if you trust it`;
}

/** The beginning of a text that is no JSON, such as a proxy's page, without its markup. */
function summary(text: string): string {
  return text
    .slice(0, 2000)
    .replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
}
