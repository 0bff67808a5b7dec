import { type ProviderErrorCode, SkeinError } from '../../error.ts';
import type { Timeouts } from './exchange.ts';

/** What a `ProviderError` is made of. */
export interface ProviderErrorFacts {
  readonly code: ProviderErrorCode;
  readonly provider: string;
  readonly model: string;
  readonly retryable: boolean;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** The exact text of the error, with keys replaced. */
  readonly rawBody?: string | undefined;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The headers of the response that tell of rate limits. */
  readonly rateLimits?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

/** A request that failed. Nothing in it contains a key. */
export class ProviderError extends SkeinError {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;
  readonly provider: string;
  readonly model: string;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly rawBody: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly rateLimits: Readonly<Record<string, string>> | undefined;
  /** How often the request was sent. */
  attempts = 1;

  constructor(problem: string, facts: ProviderErrorFacts) {
    super(
      `${facts.provider}/${facts.model}: ${problem}`,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    this.code = facts.code;
    this.provider = facts.provider;
    this.model = facts.model;
    this.retryable = facts.retryable;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.rawBody = facts.rawBody;
    this.retryAfterMs = facts.retryAfterMs;
    this.rateLimits = facts.rateLimits;
  }
}

/** Why an exchange was ended from our side. */
export type StopCause =
  | { readonly by: 'caller'; readonly reason: unknown }
  | { readonly by: keyof Timeouts; readonly ms: number };

const REQUEST_ID_HEADERS = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-goog-request-id',
  'x-groq-request-id',
  'x-amzn-requestid',
  'cf-ray',
];

/** The id that the provider gave this exchange; its support asks for it. */
export function readRequestId(headers: Headers): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers.get(name);
    if (value) return value;
  }
  return undefined;
}

/**
 * The headers of a response that tell of rate limits, as the vendors name them.
 *
 * @example
 * const { headers } = await exchange({ provider, model, body, stream: false });
 * readRateLimits(headers); // { 'x-ratelimit-remaining-requests': '99' }
 */
export function readRateLimits(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => /^(?:x|anthropic)-ratelimit-/.test(name)));
}
