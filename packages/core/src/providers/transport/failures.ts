import type { ProviderErrorCode } from '../../error.ts';
import { ProviderError } from './errors.ts';
import type { ExchangeOptions } from './exchange-options.ts';
import type { Secretive } from './redact.ts';
import type { Asked } from './response-error.ts';
import type { Stopper } from './stopper.ts';
import type { Stopped } from './timeouts.ts';

type Words = typeof import('./read-error.ts');

/**
 * What is thrown when a request fails. The words for that are loaded with the first failure. Where they cannot be, as
 * without a network, there are fewer of them, and nothing is sent again.
 */
export class Failures {
  readonly #who: { readonly provider: string; readonly model: string };
  readonly #request: Secretive;

  constructor(provider: string, model: string, request: Secretive) {
    this.#who = { provider, model };
    this.#request = request;
  }

  /** Whatever ended an attempt: an end from our side, where there was one, or else the connection. */
  async of(error: unknown, stopped: Stopped | undefined): Promise<ProviderError> {
    const by = stopped?.by;
    const code = by === 'caller' ? 'aborted' : by ? 'timeout' : 'connection';
    // Whoever stops is not kept waiting; what platforms themselves say of it holds no secret.
    const isPlain = stopped?.by === 'caller' && stopped.reason instanceof DOMException;
    const said = isPlain
      ? { problem: code, cause: stopped.reason }
      : await this.#load((words, { secrets }) => words.explain(error, stopped, secrets));
    return new ProviderError(said?.problem ?? `failed (${code})`, {
      ...this.#who,
      code,
      retryable: by !== 'caller' && by !== 'totalMs',
      cause: said?.cause,
    });
  }

  /** What a response says of its failure. */
  async in(read: (words: Words, asked: Asked) => ProviderError): Promise<ProviderError> {
    return (await this.#load(read)) ?? this.broken('what it says of its failure could not be read');
  }

  /** A response that does not come to its end; where the connection is at fault, the same may be sent again. */
  broken(problem: string, requestId?: string, code: ProviderErrorCode = 'connection'): ProviderError {
    return new ProviderError(problem, { ...this.#who, code, retryable: code === 'connection', requestId });
  }

  /** Waits before the same is sent again. Throws where there is no sense in that. */
  async waitAfter(error: ProviderError, options: ExchangeOptions, whole: Stopper<Stopped>): Promise<void> {
    const goesOn =
      error.retryable && (await this.#load(({ waitToRetry }) => waitToRetry(error, options, whole.signal)));
    if (goesOn) return;
    // Meanwhile time was up, or the caller gave up.
    const { stopped } = whole;
    throw stopped && error.retryable
      ? Object.assign(await this.of(error, stopped), { attempts: error.attempts })
      : error;
  }

  async #load<T>(use: (words: Words, asked: Asked) => T | Promise<T>): Promise<T | undefined> {
    return import('./read-error.ts')
      .then((words) => use(words, { ...this.#who, secrets: words.secretsOf(this.#request) }))
      .catch(() => undefined);
  }
}
