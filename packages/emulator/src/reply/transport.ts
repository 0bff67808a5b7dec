/** How a reply travels: when, in which pieces, and what goes wrong on the way. */

/** `retry-after` in its three forms: whole seconds, a date (so far from now), milliseconds (`retry-after-ms`). */
export type RetryAfter = { readonly seconds: number } | { readonly dateIn: number } | { readonly ms: number };

/** An error in the middle of a stream, in the protocol's own shape; as an HTTP error where nothing is streamed. */
export interface StreamError {
  readonly afterEvents: number;
  readonly message?: string;
  /** Default 529 with Anthropic, else 500. */
  readonly status?: number;
  readonly type?: string;
}

/** Where the connection stops doing what it should. */
export interface Break {
  /** `request`: nothing is answered at all. `head`: after status and headers. */
  readonly after: 'request' | 'head' | { readonly events: number } | { readonly bytes: number };
  /**
   * `cut` closes the connection, `reset` resets it, `hang` says nothing more until the client leaves, `end` ends the
   * body in good order, but too early.
   */
  readonly how: 'cut' | 'reset' | 'hang' | 'end';
}

export interface Transport {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly retryAfter?: RetryAfter;
  /** Milliseconds before status and headers. */
  readonly delay?: number;
  /** Milliseconds between events, or between chunks of bytes. */
  readonly chunkDelay?: number;
  /** The body is cut into chunks of so many bytes, wherever that falls. */
  readonly chunkBytes?: number;
  readonly streamError?: StreamError;
  readonly break?: Break;
}

export function retryHeaders(retry: RetryAfter | undefined, now: number): Record<string, string> {
  if (retry === undefined) return {};
  if ('seconds' in retry) return { 'retry-after': `${retry.seconds}` };
  if ('ms' in retry) return { 'retry-after-ms': `${retry.ms}` };
  return { 'retry-after': new Date(now + retry.dateIn).toUTCString() };
}

export function retryMilliseconds(retry: RetryAfter | undefined): number | undefined {
  if (retry === undefined) return undefined;
  if ('seconds' in retry) return retry.seconds * 1000;
  return 'ms' in retry ? retry.ms : retry.dateIn;
}
