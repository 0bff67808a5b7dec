import { type ProviderErrorCode, SkeinError } from '../../error.ts';
import type { Stopper } from './clock.ts';
import type { ErrorContext } from './error-body.ts';
import type { ExchangeOptions, Timeouts } from './exchange.ts';
import type { RequestSecrets } from './redact.ts';

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

/** Why an exchange was ended from our side. */
export type StopCause =
  | { readonly by: 'caller'; readonly reason: unknown }
  | { readonly by: keyof Timeouts; readonly ms: number };

type ErrorReaders = typeof import('./read-error.ts');

/**
 * Makes the errors of one request. The code that reads and words them is loaded with the first failure. Where it cannot be
 * loaded, as without a network, the errors say less, and nothing is sent again.
 */
export class ProviderErrorFactory {
  readonly #request: { readonly provider: string; readonly model: string };
  readonly #secrets: RequestSecrets;

  constructor(provider: string, model: string, secrets: RequestSecrets) {
    this.#request = { provider, model };
    this.#secrets = secrets;
  }

  /** The error of an attempt that we stopped, or else of its connection. */
  async fromInterruption(error: unknown, stopped: StopCause | undefined): Promise<ProviderError> {
    const by = stopped?.by;
    const code = by === 'caller' ? 'aborted' : by ? 'timeout' : 'connection';
    // A caller who stops is not kept waiting; the platform's own reasons contain no secret.
    const isPlain = stopped?.by === 'caller' && stopped.reason instanceof DOMException;
    const explained = isPlain
      ? { problem: code, cause: stopped.reason }
      : await this.#read((readers, { secrets }) => readers.explainInterruption(error, stopped, secrets));
    return new ProviderError(explained?.problem ?? `failed (${code})`, {
      ...this.#request,
      code,
      retryable: by !== 'caller' && by !== 'totalMs',
      cause: explained?.cause,
    });
  }

  /** The error that a response reports. */
  async fromResponse(read: (readers: ErrorReaders, context: ErrorContext) => ProviderError): Promise<ProviderError> {
    return (await this.#read(read)) ?? this.incomplete('what it says of its failure could not be read');
  }

  /** The error of a response that does not come to its end; a request that failed with its connection may be sent again. */
  incomplete(problem: string, requestId?: string, code: ProviderErrorCode = 'connection'): ProviderError {
    return new ProviderError(problem, { ...this.#request, code, retryable: code === 'connection', requestId });
  }

  /** Waits before the request is sent again. Throws where it should not be. */
  async waitToRetry(error: ProviderError, options: ExchangeOptions, whole: Stopper<StopCause>): Promise<void> {
    const waited =
      error.retryable && (await this.#read(({ waitToRetry }) => waitToRetry(error, options, whole.signal)));
    if (waited) return;
    // The time was up or the caller gave up during the wait.
    const { stopped } = whole;
    throw stopped && error.retryable
      ? Object.assign(await this.fromInterruption(error, stopped), { attempts: error.attempts })
      : error;
  }

  async #read<T>(use: (readers: ErrorReaders, context: ErrorContext) => T | Promise<T>): Promise<T | undefined> {
    return import('./read-error.ts')
      .then((readers) => use(readers, { ...this.#request, secrets: readers.findSecrets(this.#secrets) }))
      .catch(() => undefined);
  }
}

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
