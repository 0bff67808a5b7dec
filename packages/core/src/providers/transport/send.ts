import { eventsOf, type ServerSentEvent, textOf } from './body.ts';
import type { Clock } from './clock.ts';
import { readErrorBody } from './error-body.ts';
import { ProviderError } from './errors.ts';
import { redact } from './redact.ts';
import { requestIdOf } from './request-id.ts';
import { type Asked, responseError, streamError } from './response-error.ts';
import type { Stopper, Timeouts } from './timeouts.ts';

/** What is used of `fetch`; the platform's own fits. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** One request, ready to go. `init` is called at the last moment, since its headers hold the key. */
export interface Outgoing {
  readonly url: string;
  readonly init: () => RequestInit;
  readonly fetch: Fetch;
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly asked: Asked;
}

/** What the head of a response says. */
export interface Head {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
}

/** A stream that has begun. */
interface Begun {
  readonly first: ServerSentEvent;
  readonly rest: AsyncGenerator<ServerSentEvent, void, undefined>;
}

/** Sends once and waits for the head of the response. Throws what a bad status tells of. */
async function send(outgoing: Outgoing, stopper: Stopper): Promise<Response> {
  const { url, init, fetch, timeouts, clock, asked } = outgoing;
  const answer = fetch(url, { ...init(), signal: stopper.signal });
  const response = await stopper.race(answer, 'connectMs', timeouts.connectMs);
  if (response.ok) return response;
  const text = await textOf(response, waitFor(outgoing, stopper));
  throw responseError(response, text, asked, clock.now());
}

export async function sendForText(outgoing: Outgoing, stopper: Stopper): Promise<Head & { readonly text: string }> {
  const response = await send(outgoing, stopper);
  return { text: await textOf(response, waitFor(outgoing, stopper)), ...headOf(response) };
}

/** Comes back with the first event, so that whoever called can still send again until then. */
export async function sendForEvents(outgoing: Outgoing, stopper: Stopper): Promise<Head & Begun> {
  const response = await send(outgoing, stopper);
  const wait = waitFor(outgoing, stopper);
  if (response.headers.get('content-type')?.includes('application/json'))
    throw notAStream(await textOf(response, wait), outgoing.asked);
  const events = eventsOf(response, wait);
  const first = await events.next();
  if (first.done) throw endedEarly(outgoing.asked);
  return { first: first.value, rest: events, ...headOf(response) };
}

/** The events, the first one put back in front. */
export async function* joined(
  { first, rest }: Begun,
  stopper: Stopper,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  try {
    yield first;
    for await (const event of rest) {
      // Events that had come before the stop are not handed out after it.
      stopper.signal.throwIfAborted();
      yield event;
    }
  } finally {
    await rest.return();
  }
}

function headOf(response: Response): Head {
  const { status, headers } = response;
  return { status, headers, requestId: requestIdOf(headers) };
}

function waitFor({ timeouts }: Outgoing, stopper: Stopper) {
  return <T>(work: Promise<T>): Promise<T> => stopper.race(work, 'idleMs', timeouts.idleMs);
}

/** Some gateways answer with 200 and one JSON text, mostly an error. */
function notAStream(text: string, asked: Asked): ProviderError {
  if (readErrorBody(text).message !== undefined) return streamError(text, asked);
  const { provider, model, secrets } = asked;
  return new ProviderError('a stream was asked for, but the reply is none', {
    provider,
    model,
    code: 'stream_error',
    retryable: false,
    rawBody: redact(text, secrets),
  });
}

function endedEarly({ provider, model }: Asked): ProviderError {
  return new ProviderError('the stream ended before its first event', {
    provider,
    model,
    code: 'connection',
    retryable: true,
  });
}
