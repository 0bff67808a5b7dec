import type { ProviderDescriptor } from '../../dialects/provider.ts';
import type { WrittenRequest } from '../../dialects/request.ts';
import type { EndpointOptions } from '../registry.ts';
import type { Clock } from './clock.ts';
import type { ProviderError } from './provider-error.ts';

/** The part of `fetch` that is used; the platform's own fits. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A request, and how it is sent. */
export interface ExchangeOptions extends EndpointOptions {
  readonly provider: ProviderDescriptor;
  readonly model: string;
  /** The exact text to send. */
  readonly body: string;
  /** Lends the same text in UTF-8, where it is at hand: the platform's own `fetch` gets these bytes, and the text is not read. */
  readonly withBytes?: WrittenRequest['withBytes'] | undefined;
  readonly fetch?: Fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly retry?: Partial<RetryOptions> | false | undefined;
  readonly extraHeaders?: Readonly<Record<string, string>> | undefined;
  /** Called before each wait. */
  readonly onRetry?: ((notice: RetryNotice) => void) | undefined;
  readonly clock?: Clock | undefined;
  /** A number from 0 to 1, for the jitter of waits. */
  readonly random?: (() => number) | undefined;
}

/** Time limits in milliseconds; `Infinity` for none. */
export interface Timeouts {
  /** From sending a request to the head of its response; default five minutes. Unstreamed replies have no head before they are complete. */
  readonly connectMs: number;
  /** Between two pieces of a response; default five minutes. */
  readonly idleMs: number;
  /** For everything: all attempts, the waits between them, and reading to the end. Default half an hour. */
  readonly totalMs: number;
}

/** How failed requests are sent again. */
export interface RetryOptions {
  /** How many times a request is sent again; default 2, 0 for never. */
  readonly maxRetries: number;
  /** The longest first wait in milliseconds, which doubles each time; default 1,000. */
  readonly baseMs: number;
  /** The longest wait that we choose; default 30,000. */
  readonly capMs: number;
  /** The longest wait that a provider can ask for; default 60,000. */
  readonly maxRetryAfterMs: number;
}

/** Why and how long the next attempt waits. */
export interface RetryNotice {
  /** How often the request has been sent so far. */
  readonly attempts: number;
  readonly waitMs: number;
  readonly error: ProviderError;
}

/** An event of a stream as the server sent it. */
export interface ServerSentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

interface ResponseHead {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly attempts: number;
}

/** A reply that came as one text. */
export interface TextExchange extends ResponseHead {
  readonly text: string;
}

/**
 * A reply that comes as events, which can be iterated once. Leaving the loop early cancels the response; a broken
 * connection, a time limit and an abort throw a `ProviderError`. Error events are events: the reader of the protocol
 * decides what they mean.
 */
export interface EventExchange extends ResponseHead {
  readonly events: AsyncIterable<ServerSentEvent>;
  /**
   * The same events, in place of `events`: where several arrived together, as their text, for `pushText` of a `BlockReader`.
   * It costs far less than an object and a promise for each.
   */
  readonly portions: AsyncIterable<ServerSentEvent | string>;
}

/**
 * Sends a request and returns the reply, after as many attempts as it takes. A stream is returned with its first event;
 * from then on nothing is sent again. Throws a `ProviderError`. The code that sends is loaded with the first request.
 *
 * @example
 * const { body } = writeRequest(openaiChat, { model: 'gpt-5.5', messages: [user('Hello')] });
 * const { text } = await exchange({ provider: openaiChat.home, model: 'gpt-5.5', body, stream: false });
 * const { message } = openaiChat.readResponse(text);
 */
export async function exchange(options: ExchangeOptions & { readonly stream: true }): Promise<EventExchange>;
export async function exchange(options: ExchangeOptions & { readonly stream: false }): Promise<TextExchange>;
export async function exchange(
  options: ExchangeOptions & { readonly stream: boolean },
): Promise<EventExchange | TextExchange> {
  delivery ??= import('./deliver.ts').catch((error: unknown) => {
    delivery = undefined;
    throw error;
  });
  return (await delivery).deliverExchange(options);
}

/** Loaded once: to ask the platform for a module that is there costs as much as a small request's URL, headers and timers. */
let delivery: Promise<typeof import('./deliver.ts')> | undefined;
