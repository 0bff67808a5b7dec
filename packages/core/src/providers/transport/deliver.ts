import { resolveEndpoint, resolveKey } from '../endpoint.ts';
import { eventsOf, type ServerSentEvent, textOf } from './body.ts';
import { realClock } from './clock.ts';
import { ProviderError } from './errors.ts';
import type { ExchangeOptions } from './exchange-options.ts';
import { Failures } from './failures.ts';
import { requestHeaders, requestUrl } from './request.ts';
import { requestIdOf } from './request-id.ts';
import { Stopper } from './stopper.ts';
import { DEFAULT_TIMEOUTS, type Stopped, type Timeouts } from './timeouts.ts';

export interface Delivery extends ExchangeOptions {
  readonly stream: boolean;
}

/** A response that has begun well. What breaks while it is read is thrown as a `ProviderError`. */
export interface Answer {
  readonly response: Response;
  readonly requestId: string | undefined;
  readonly attempts: number;
  text(): Promise<string>;
  events(): AsyncGenerator<ServerSentEvent, void, undefined>;
  /** What an event or a text that tells of a failure means. */
  errorIn(native: string): Promise<ProviderError>;
  /** The error of a text that cannot be read. */
  strange(text: string, error: unknown): Promise<ProviderError>;
  /** The error of a response that does not come to its end. */
  broken(problem: string): ProviderError;
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
  const { clock = realClock, signal } = delivery;
  const { request, failures } = prepare(delivery);
  const timeouts: Timeouts = { ...DEFAULT_TIMEOUTS, ...delivery.timeouts };
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
        if (!(error instanceof ProviderError)) throw error;
        error.attempts = attempts;
        if (tooLate()) throw error;
        await failures.waitAfter(error, delivery, whole);
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
        throw await failures.of(thrown, stopper.stopped);
      }
    };
    const response = await wait(() => request(signal), 'connectMs');
    const requestId = requestIdOf(response.headers);
    const tooLarge = (problem: string) => failures.broken(problem, requestId, 'not_this_protocol');
    const text = () => textOf(response, wait, tooLarge);
    const broken = (problem: string) => failures.broken(problem, requestId);
    if (!response.ok) {
      const said = await text();
      throw await failures.in(({ responseError }, asked) => responseError(response, said, asked, clock.now()));
    }
    return {
      ...{ response, requestId, attempts, text, broken },
      async *events() {
        const noStream = async (said: string | undefined) =>
          said === undefined
            ? broken('the stream ended before its first event')
            : failures.in(({ unstreamedError }, asked) => unstreamedError(response, said, asked));
        // Some gateways answer with one JSON text, mostly an error, or with a page.
        if (/application\/json|text\/html/i.test(response.headers.get('content-type') ?? ''))
          throw await noStream(await text());
        for await (const event of eventsOf(response, wait, tooLarge, noStream)) {
          // Events that had come before the stop are not handed out after it.
          if (stopper.stopped) throw await failures.of(undefined, stopper.stopped);
          yield event;
        }
      },
      errorIn: (native) =>
        failures.in(({ streamError }, asked) => streamError(native, asked, delivery.stream ? undefined : response)),
      strange: (said, error) => failures.in(({ strangeError }, asked) => strangeError(response, said, error, asked)),
      done() {
        stopper.dispose();
        whole.dispose();
      },
    };
  }
}

function prepare(delivery: Delivery): { failures: Failures; request: (signal: AbortSignal) => Promise<Response> } {
  const { model, stream, extraHeaders, body, bytes, fetch } = delivery;
  const endpoint = resolveEndpoint(delivery.provider, delivery);
  const key = resolveKey(endpoint.provider, delivery);
  const url = requestUrl(endpoint, model, stream);
  // Made at the last moment, since they hold the key.
  const headers = () => requestHeaders(endpoint, { model, stream, key, extraHeaders });
  // Looked at once before anything is sent: what is wrong with them will not go away.
  headers();
  return {
    failures: new Failures(endpoint.provider.id, model, { key, baseUrl: endpoint.baseUrl, extraHeaders }),
    request: (signal) => {
      const init = { method: 'POST', headers: headers(), redirect: 'manual', signal } as const;
      // Whoever brings a `fetch` of their own gets the text, which they can read.
      return fetch ? fetch(url, { ...init, body }) : globalThis.fetch(url, { ...init, body: bytes?.() ?? body });
    },
  };
}
