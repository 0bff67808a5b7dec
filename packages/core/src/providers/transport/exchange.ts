import type { ProviderDescriptor } from '../../dialects/provider.ts';
import { type EndpointOptions, resolveEndpoint, resolveKey } from '../endpoint.ts';
import type { ServerSentEvent } from './body.ts';
import { type Clock, realClock, sleep } from './clock.ts';
import type { ProviderError } from './errors.ts';
import { failureOf, stoppedError } from './failure.ts';
import { secretsOf } from './redact.ts';
import { requestHeaders, requestUrl } from './request.ts';
import { DEFAULT_RETRY, type RetryOptions, retryWait } from './retry.ts';
import { type Fetch, type Head, joined, type Outgoing, sendForEvents, sendForText } from './send.ts';
import { DEFAULT_TIMEOUTS, Stopper, type Timeouts } from './timeouts.ts';

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

interface Exchanged extends Head {
  readonly attempts: number;
}

export interface TextExchange extends Exchanged {
  readonly text: string;
}

/**
 * The events can be gone through once. Leaving early cancels the response; a broken connection, a time limit and an
 * abort throw a `ProviderError`. Error events are events: what they mean is for the reader of the protocol.
 */
export interface EventExchange extends Exchanged {
  readonly events: AsyncIterable<ServerSentEvent>;
}

/**
 * Sends a request and gives the reply, after as many attempts as it takes. Streams come back with their first event,
 * and from then on nothing is sent again. Throws a `ProviderError`.
 */
export async function exchange(options: ExchangeOptions & { readonly stream: true }): Promise<EventExchange>;
export async function exchange(options: ExchangeOptions & { readonly stream: false }): Promise<TextExchange>;
export async function exchange(
  options: ExchangeOptions & { readonly stream: boolean },
): Promise<EventExchange | TextExchange>;
export async function exchange(
  options: ExchangeOptions & { readonly stream: boolean },
): Promise<EventExchange | TextExchange> {
  const { clock = realClock } = options;
  const outgoing = prepare(options, clock);
  const whole = new Stopper(clock);
  whole.follow(options.signal, ({ reason }) => ({ by: 'caller', reason }));
  whole.limit('totalMs', outgoing.timeouts.totalMs);
  try {
    return await persist(options, clock, outgoing, whole);
  } catch (error) {
    whole.dispose();
    throw error;
  }
}

/** Tries until it works, or there is no sense in it. */
async function persist(
  options: ExchangeOptions & { readonly stream: boolean },
  clock: Clock,
  outgoing: Outgoing,
  whole: Stopper,
): Promise<EventExchange | TextExchange> {
  const retry = { ...DEFAULT_RETRY, ...(options.retry === false ? { maxRetries: 0 } : options.retry) };
  for (let attempts = 1; ; attempts++) {
    const stopper = new Stopper(clock);
    stopper.follow(whole.signal, () => whole.stopped!);
    let error: ProviderError;
    try {
      stopper.signal.throwIfAborted();
      const result = await attempt(options.stream, outgoing, stopper, whole);
      return { ...result, attempts };
    } catch (thrown) {
      error = failureOf(thrown, stopper, outgoing.asked);
      error.attempts = attempts;
      stopper.dispose();
    }
    const waitMs = retryWait(attempts, error, retry, options.random ?? Math.random);
    if (waitMs === undefined) throw error;
    options.onRetry?.({ attempts, waitMs, error });
    try {
      await sleep(clock, waitMs, whole.signal);
    } catch {
      // Time is up, or the caller gave up; what went wrong before is the cause of the first.
      throw Object.assign(stoppedError(whole.stopped!, outgoing.asked, error), { attempts });
    }
  }
}

async function attempt(stream: boolean, outgoing: Outgoing, stopper: Stopper, whole: Stopper) {
  const done = () => {
    stopper.dispose();
    whole.dispose();
  };
  if (!stream) {
    const result = await sendForText(outgoing, stopper);
    done();
    return result;
  }
  const { first, rest, ...head } = await sendForEvents(outgoing, stopper);
  return { ...head, events: handOut() };

  async function* handOut(): AsyncGenerator<ServerSentEvent, void, undefined> {
    try {
      yield* joined({ first, rest }, stopper);
    } catch (thrown) {
      throw failureOf(thrown, stopper, outgoing.asked);
    } finally {
      done();
    }
  }
}

function prepare(options: ExchangeOptions & { readonly stream: boolean }, clock: Clock): Outgoing {
  const { model, stream, extraHeaders } = options;
  const endpoint = resolveEndpoint(options.provider, options);
  const key = resolveKey(endpoint.provider, options);
  const { fetch = (url: string, init: RequestInit) => globalThis.fetch(url, init) } = options;
  // Whoever brings a `fetch` of their own gets the text, which they can read.
  const body = () => (options.fetch ? options.body : (options.bytes?.() ?? options.body));
  const headers = () => requestHeaders(endpoint, { model, stream, key, extraHeaders });
  // Looked at once before anything is sent: what is wrong with them will not go away.
  headers();
  return {
    url: requestUrl(endpoint, model, stream),
    init: () => ({ method: 'POST', headers: headers(), body: body(), redirect: 'manual' }),
    fetch,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    clock,
    asked: {
      provider: endpoint.provider.id,
      model,
      secrets: secretsOf({ key, baseUrl: endpoint.baseUrl, extraHeaders }),
    },
  };
}
