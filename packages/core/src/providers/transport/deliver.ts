import { cutSse, sse } from '../../dialects/sse.ts';
import type { Framing } from '../../dialects/stream.ts';
import type { ProviderErrorCode } from '../../error.ts';
import { type Endpoint, environment, platform, resolveEndpoint, resolveKey } from '../registry.ts';
import { realClock, Stopper } from './clock.ts';
import type { ErrorContext } from './error-body.ts';
import type { EventExchange, ExchangeOptions, ServerSentEvent, TextExchange, Timeouts } from './exchange.ts';
import { ProviderError, readRequestId, type StopCause } from './provider-error.ts';
import { type EventTaker, readEvents, readText } from './read-body.ts';
import type { RequestSecrets } from './redact.ts';
import { findSigner } from './signers.ts';

/** As long as Node's own `fetch` waits; half an hour in all. */
const DEFAULT_TIMEOUTS: Timeouts = { connectMs: 300_000, idleMs: 300_000, totalMs: 1_800_000 };

export interface DeliveryOptions extends ExchangeOptions {
  /** The framing of the dialect; that of the provider goes before it. */
  readonly framing?: Framing | undefined;
  readonly stream: boolean;
}

/** A response with a good status. Reading it throws a `ProviderError` where it breaks. */
export interface IncomingResponse {
  readonly response: Response;
  readonly requestId: string | undefined;
  readonly attempts: number;
  text(): Promise<string>;
  /** Hands on all events, and yields when some were taken: one promise for many events. */
  events(taker: EventTaker): AsyncGenerator<void, void, undefined>;
  /** The error that an event or a text reports. */
  reportedError(native: string): Promise<ProviderError>;
  /** The error of a text that cannot be read. */
  unreadable(text: string, error: unknown): Promise<ProviderError>;
  /** The error of a response that does not come to its end. */
  incomplete(problem: string): ProviderError;
  /** Call it when nothing more is read of the response. */
  done(): void;
}

/**
 * Sends a request until `receive` has taken the reply or another attempt would be pointless. When `receive` throws a
 * retryable `ProviderError`, the request is sent again, unless it is `tooLate`.
 */
export async function deliver<T>(
  options: DeliveryOptions,
  receive: (response: IncomingResponse) => Promise<T>,
  tooLate = () => false,
): Promise<T> {
  const { clock = realClock, signal } = options;
  const { request, errors } = prepare(options);
  const timeouts: Timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const whole = new Stopper<StopCause>(clock);
  whole.follow(signal, () => ({ by: 'caller', reason: signal!.reason }));
  whole.after(timeouts.totalMs, { by: 'totalMs', ms: timeouts.totalMs });
  try {
    for (let attempts = 1; ; attempts++) {
      const stopper = new Stopper<StopCause>(clock);
      stopper.follow(whole, () => whole.stopped!);
      try {
        return await receive(await attempt(stopper, attempts));
      } catch (error) {
        stopper.dispose();
        if (!(error instanceof ProviderError)) throw error;
        error.attempts = attempts;
        if (tooLate()) throw error;
        await errors.waitToRetry(error, options, whole);
      }
    }
  } catch (error) {
    whole.dispose();
    throw error;
  }

  /** Sends once. Throws the error that a bad status reports. */
  async function attempt(stopper: Stopper<StopCause>, attempts: number): Promise<IncomingResponse> {
    const { signal } = stopper;
    const wait = async <W>(work: () => Promise<W>, by: keyof Timeouts = 'idleMs'): Promise<W> => {
      try {
        signal.throwIfAborted();
        return await stopper.race(work(), timeouts[by], { by, ms: timeouts[by] });
      } catch (thrown) {
        throw await errors.fromInterruption(thrown, stopper.stopped);
      }
    };
    const response = await wait(() => request(signal), 'connectMs');
    const requestId = readRequestId(response.headers);
    const tooLarge = (problem: string) => errors.incomplete(problem, requestId, 'not_this_protocol');
    const text = () => readText(response, wait, tooLarge);
    const incomplete = (problem: string) => errors.incomplete(problem, requestId);
    if (!response.ok) {
      const body = await text();
      throw await errors.fromResponse(({ responseError }, context) =>
        responseError(response, body, context, clock.now()),
      );
    }
    return {
      ...{ response, requestId, attempts, text, incomplete },
      async *events(taker) {
        const noStream = async (body: string | undefined) =>
          body === undefined
            ? incomplete('the stream ended before its first event')
            : errors.fromResponse(({ unstreamedError }, context) => unstreamedError(response, body, context));
        const framing = findFraming(options);
        const type = response.headers.get('content-type')?.toLowerCase() ?? '';
        // Some gateways answer with one JSON text, mostly an error, or with a page.
        const isWhole = framing.isBinary ? /json|^text\// : /application\/json|text\/html/;
        if (isWhole.test(type) && !framing.contentTypes.some((one) => type.startsWith(one)))
          throw await noStream(await text());
        for await (const _ of readEvents(response, framing, taker, wait, tooLarge, noStream)) {
          if (stopper.stopped) throw await errors.fromInterruption(undefined, stopper.stopped);
          yield;
        }
      },
      reportedError: (native) =>
        errors.fromResponse(({ streamError }, context) =>
          streamError(native, context, options.stream ? undefined : response),
        ),
      unreadable: (body, error) =>
        errors.fromResponse(({ unreadableError }, context) => unreadableError(response, body, error, context)),
      done() {
        stopper.dispose();
        whole.dispose();
      },
    };
  }
}

function prepare(options: DeliveryOptions): {
  errors: ProviderErrorFactory;
  request: (signal: AbortSignal) => Promise<Response>;
} {
  const { model, stream, extraHeaders, withBytes, fetch } = options;
  const endpoint = resolveEndpoint(options.provider, options);
  const key = resolveKey(endpoint.provider, options);
  const url = requestUrl(endpoint, model, stream);
  const accept = stream ? findFraming(options).contentTypes[0] : 'application/json';
  // Made before anything is sent: a wrong header stays wrong.
  const headers = requestHeaders(endpoint, { model, accept, key, extraHeaders });
  const { signer } = endpoint.connection;
  const sign = signer === undefined ? undefined : findSigner(signer);
  // What a signer adds may be a token, which no error must show.
  const secretHeaders = { ...extraHeaders };
  const secrets = { key, baseUrl: endpoint.baseUrl, extraHeaders: secretHeaders };
  return {
    errors: new ProviderErrorFactory(endpoint.provider.id, model, secrets),
    request: async (signal) => {
      const env = options.env ?? environment();
      const signed = sign && (await sign({ method: 'POST', url, headers, body: options.body, env }));
      Object.assign(secretHeaders, signed);
      const all = { ...headers, ...signed };
      const init = { method: 'POST', headers: all, redirect: 'manual', signal } as const;
      // A `fetch` that the caller gave gets the text, which it can read.
      return withBytes && !fetch
        ? withBytes((body) => fetchBytes(url, { ...init, body }))
        : (fetch ?? globalThis.fetch)(url, { ...init, body: options.body });
    },
  };
}

/** From this size on, a copy of a body costs more than all else that a request needs. */
const LARGE_BODY = 65_536;

/**
 * Sends bytes. To show a redirect, Node's `fetch` copies the body once more, in case that it has to be sent again; the Fetch
 * standard spares the copy where a redirect is an error. So a large body is sent that way. If it meets a redirect, or a server
 * that wants it over another connection (421), it is sent again in the usual way, whose answer says why. On other platforms
 * that error cannot be told from a broken connection.
 */
async function fetchBytes(
  url: string,
  init: RequestInit & { readonly body: Uint8Array<ArrayBuffer> },
): Promise<Response> {
  if (init.body.length < LARGE_BODY || !platform()?.versions?.undici) return fetch(url, init);
  return fetch(url, { ...init, redirect: 'error' }).catch((error: Error) => {
    if (/redirect|length/.test(String(error.cause))) return fetch(url, init);
    throw error;
  });
}

type ErrorReaders = typeof import('./read-error.ts');

/**
 * Makes the errors of one request. The code that reads and words them is loaded with the first failure. Where it cannot be
 * loaded, as without a network, the errors say less, and nothing is sent again.
 */
class ProviderErrorFactory {
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

/** The work of `exchange`. */
export async function deliverExchange(options: DeliveryOptions & { readonly stream: true }): Promise<EventExchange>;
export async function deliverExchange(options: DeliveryOptions & { readonly stream: false }): Promise<TextExchange>;
export async function deliverExchange(options: DeliveryOptions): Promise<EventExchange | TextExchange>;
export async function deliverExchange(options: DeliveryOptions): Promise<EventExchange | TextExchange> {
  return deliver(options, async ({ response: { status, headers }, requestId, attempts, text, events, done }) => {
    const head = { status, headers, requestId, attempts };
    if (!options.stream) {
      const whole = await text();
      done();
      return { ...head, text: whole };
    }
    const ready: (ServerSentEvent | string)[] = [];
    let hasBegun = false;
    const take = (event: string | undefined, data: string): void => {
      hasBegun = true;
      ready.push({ event, data });
    };
    const all = events({ take, takeText: (some) => hasBegun && ready.push(some) > 0, takesAll: true });
    while (ready.length === 0) await all.next();
    return { ...head, events: cutPortions(handOut()), portions: handOut() };

    async function* handOut(): AsyncGenerator<ServerSentEvent | string, void, undefined> {
      try {
        do {
          for (const portion of ready.splice(0)) {
            // What comes next says why it ended.
            if (options.signal?.aborted) break;
            yield portion;
          }
        } while (!(await all.next()).done);
      } finally {
        await all.return();
        done();
      }
    }

    async function* cutPortions(
      portions: AsyncIterable<ServerSentEvent | string>,
    ): AsyncGenerator<ServerSentEvent, void, undefined> {
      for await (const portion of portions) {
        const cut: ServerSentEvent[] = [];
        if (typeof portion === 'string') cutSse(portion, (event, data) => cut.push({ event, data }));
        else cut.push(portion);
        for (const event of cut) {
          if (options.signal?.aborted) break;
          yield event;
        }
      }
    }
  });
}

function findFraming({ provider, framing }: DeliveryOptions): Framing {
  return provider.framing ?? framing ?? sse;
}

/** The address of a request. */
function requestUrl({ provider, connection, baseUrl }: Endpoint, model: string, stream: boolean): string {
  const path = (stream && connection.streamPath) || connection.path;
  const place = fillTemplate(path, provider.apiVersion, encodeURIComponent(model));
  const key = `${baseUrl} ${place}`;
  const known = addresses.get(key);
  if (known !== undefined) return known;
  const [rest, query] = place.split('?');
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/+$/, '') + rest;
  url.search = [url.search.slice(1), query].filter(Boolean).join('&');
  if (addresses.size >= MOST_ADDRESSES) addresses.clear();
  addresses.set(key, url.href);
  return url.href;
}

/** The last addresses. The paths of some providers have the model in them, so there may be many. */
const addresses = new Map<string, string>();
const MOST_ADDRESSES = 500;

/** The headers of a request, with the key: for `fetch` only. */
function requestHeaders(
  { provider, connection }: Endpoint,
  request: {
    readonly model: string;
    readonly accept: string;
    readonly key: string | undefined;
    readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  },
): Record<string, string> {
  const { key, model, accept, extraHeaders } = request;
  const { headers = {}, auth } = connection;
  const all: readonly (readonly [name: string, value: string])[] = [
    ['content-type', 'application/json'],
    ['accept', accept],
    ...Object.entries(headers).map(([name, value]) => [name, fillTemplate(value, provider.apiVersion, model)] as const),
    ...(key === undefined ? [] : auth.map(({ header, value }) => [header, value.replace('{key}', () => key)] as const)),
    ...Object.entries(extraHeaders ?? {}),
  ];
  return Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), checkHeader(name, value)]));
}

/** `fetch` would refuse it, too, but quote the value. */
function checkHeader(name: string, value: string): string {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new TypeError(`The header ${name} contains a character that headers cannot carry, such as a line break`);
  return value;
}

function fillTemplate(template: string, apiVersion: string | undefined, model: string): string {
  return template.replace('{apiVersion}', () => apiVersion ?? '').replace('{model}', () => model);
}
