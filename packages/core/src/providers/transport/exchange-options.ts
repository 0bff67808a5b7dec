import type { ProviderDescriptor } from '../../dialects/provider.ts';
import type { EndpointOptions } from '../endpoint.ts';
import type { Clock } from './clock.ts';
import type { ProviderError } from './errors.ts';
import type { RetryOptions } from './retry.ts';
import type { Timeouts } from './timeouts.ts';

/** What is used of `fetch`; the platform's own fits. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ExchangeOptions extends EndpointOptions {
  readonly provider: ProviderDescriptor;
  readonly model: string;
  /** The exact text to send. */
  readonly body: string;
  /** The same in UTF-8, where it is at hand: then the platform's own `fetch` gets it, and has nothing to encode. */
  readonly bytes?: (() => Uint8Array<ArrayBuffer>) | undefined;
  readonly fetch?: Fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly retry?: Partial<RetryOptions> | false | undefined;
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  readonly clock?: Clock | undefined;
  /** From 0 to 1, for the jitter. */
  readonly random?: (() => number) | undefined;
}

/** Told before each wait. */
export interface RetryNotice {
  /** How often the request has been sent so far. */
  readonly attempts: number;
  readonly waitMs: number;
  readonly error: ProviderError;
}
