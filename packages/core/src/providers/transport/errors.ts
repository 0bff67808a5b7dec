import { type ProviderErrorCode, SkeinError } from '../../error.ts';

export interface ProviderErrorFacts {
  readonly code: ProviderErrorCode;
  readonly provider: string;
  readonly model: string;
  readonly retryable: boolean;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  /** The exact text of the error, keys aside. */
  readonly rawBody?: string | undefined;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request that failed. Nothing in it holds a key. */
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
  }
}
