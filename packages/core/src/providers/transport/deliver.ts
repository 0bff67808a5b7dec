import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { type EndpointOptions, resolveEndpoint, resolveKey } from '../endpoint.ts';
import { eventsOf, type ServerSentEvent, textOf } from './body.ts';
import { type Clock, realClock, sleep } from './clock.ts';
import { isProviderError, ProviderError } from './errors.ts';
import { failureOf, stoppedError } from './failure.ts';
import { secretsOf } from './redact.ts';
import { requestHeaders, requestUrl } from './request.ts';
import type { Asked } from './response-error.ts';
import { DEFAULT_RETRY, type RetryOptions, retryWait } from './retry.ts';
import { Stopper } from './stopper.ts';
import { DEFAULT_TIMEOUTS, type Stopped, type Timeouts } from './timeouts.ts';

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

export interface Delivery extends ExchangeOptions {
  readonly stream: boolean;
}

/** A response that has begun well. What breaks while it is read is thrown as a `ProviderError`. */
export interface Answer {
  readonly response: Response;
  readonly attempts: number;
  readonly asked: Asked;
  text(): Promise<string>;
  events(): AsyncGenerator<ServerSentEvent, void, undefined>;
  /** What an event or a text that tells of a failure means. */
  errorIn(native: string): Promise<ProviderError>;
  /** No more is read of it. */
  done(): void;
}

/**
 * Sends a request until `receive` has taken the reply, or there is no sense in trying. What `receive` throws is a reason
 * to send again where it is a `ProviderError` that says so, unless it was `tooLate` for that.
 */
export async function deliver<T>(
  delivery: Delivery,
  receive: (answer: Answer) => Promise<T>,
  tooLate = () => false,
): Promise<T> {
  const { clock = realClock, signal, retry, random = Math.random, onRetry } = delivery;
  const { asked, request } = prepare(delivery);
  const timeouts: Timeouts = { ...DEFAULT_TIMEOUTS, ...delivery.timeouts };
  const patience = { ...DEFAULT_RETRY, ...(retry === false ? { maxRetries: 0 } : retry) };
  const whole = new Stopper<Stopped>(clock);
  whole.follow(signal, () => ({ by: 'caller', reason: signal!.reason }));
  whole.after(timeouts.totalMs, { by: 'totalMs', ms: timeouts.totalMs });
  try {
    for (let attempts = 1; ; attempts++) {
      const stopper = new Stopper<Stopped>(clock);
      stopper.follow(whole.signal, () => whole.stopped!);
      try {
        return await receive(await attempt(stopper, attempts));
      } catch (error) {
        stopper.dispose();
        await waitAfter(error, attempts);
      }
    }
  } catch (error) {
    whole.dispose();
    throw error;
  }

  /** Sends once. Throws what a bad status tells of. */
  async function attempt(stopper: Stopper<Stopped>, attempts: number): Promise<Answer> {
    const { signal } = stopper;
    const wait = async <W>(work: () => Promise<W>, by: keyof Timeouts = 'idleMs'): Promise<W> => {
      try {
        signal.throwIfAborted();
        return await stopper.race(work(), timeouts[by], { by, ms: timeouts[by] });
      } catch (thrown) {
        throw failureOf(thrown, stopper.stopped, asked);
      }
    };
    const response = await wait(() => request(signal), 'connectMs');
    const text = () => textOf(response, wait);
    /** Loaded on first use: most replies are no errors. Where that fails, so has the connection. */
    const errorOf = (read: (errors: typeof import('./read-error.ts')) => ProviderError) =>
      wait(async () => read(await import('./read-error.ts')));
    if (!response.ok) {
      const said = await text();
      throw await errorOf(({ responseError }) => responseError(response, said, asked, clock.now()));
    }
    return {
      response,
      attempts,
      asked,
      text,
      async *events() {
        // Some gateways answer with one JSON text, mostly an error.
        if (response.headers.get('content-type')?.includes('application/json')) {
          const said = await text();
          throw await errorOf(({ unstreamedError }) => unstreamedError(said, asked));
        }
        let isEmpty = true;
        for await (const event of eventsOf(response, wait)) {
          // Events that had come before the stop are not handed out after it.
          if (stopper.stopped) throw failureOf(undefined, stopper.stopped, asked);
          isEmpty = false;
          yield event;
        }
        if (isEmpty)
          throw new ProviderError('the stream ended before its first event', {
            ...asked,
            code: 'connection',
            retryable: true,
          });
      },
      errorIn: (native) => errorOf(({ streamError }) => streamError(native, asked)),
      done() {
        stopper.dispose();
        whole.dispose();
      },
    };
  }

  /** Throws where there is no sense in sending again. */
  async function waitAfter(error: unknown, attempts: number): Promise<void> {
    if (!isProviderError(error)) throw error;
    error.attempts = attempts;
    const waitMs = tooLate() ? undefined : retryWait(attempts, error, patience, random);
    if (waitMs === undefined) throw error;
    onRetry?.({ attempts, waitMs, error });
    try {
      await sleep(clock, waitMs, whole.signal);
    } catch {
      // Time is up, or the caller gave up; what went wrong before is the cause of the first.
      throw Object.assign(stoppedError(whole.stopped!, asked, error), { attempts });
    }
  }
}

interface Prepared {
  readonly asked: Asked;
  readonly request: (signal: AbortSignal) => Promise<Response>;
}

function prepare(delivery: Delivery): Prepared {
  const { model, stream, extraHeaders, body, bytes, fetch } = delivery;
  const endpoint = resolveEndpoint(delivery.provider, delivery);
  const key = resolveKey(endpoint.provider, delivery);
  const url = requestUrl(endpoint, model, stream);
  // Made at the last moment, since they hold the key.
  const headers = () => requestHeaders(endpoint, { model, stream, key, extraHeaders });
  // Looked at once before anything is sent: what is wrong with them will not go away.
  headers();
  return {
    asked: {
      provider: endpoint.provider.id,
      model,
      secrets: secretsOf({ key, baseUrl: endpoint.baseUrl, extraHeaders }),
    },
    request: (signal) => {
      const init = { method: 'POST', headers: headers(), redirect: 'manual', signal } as const;
      // Whoever brings a `fetch` of their own gets the text, which they can read.
      return fetch ? fetch(url, { ...init, body }) : globalThis.fetch(url, { ...init, body: bytes?.() ?? body });
    },
  };
}
