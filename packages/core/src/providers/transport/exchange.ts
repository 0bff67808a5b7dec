import type { ServerSentEvent } from './body.ts';
import { deliver } from './deliver.ts';
import type { ExchangeOptions } from './exchange-options.ts';

interface Exchanged {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
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

/** Sends a request and gives the reply; streams come back with their first event. */
export async function exchange(options: ExchangeOptions & { readonly stream: true }): Promise<EventExchange>;
export async function exchange(options: ExchangeOptions & { readonly stream: false }): Promise<TextExchange>;
export async function exchange(
  options: ExchangeOptions & { readonly stream: boolean },
): Promise<EventExchange | TextExchange>;
export async function exchange(
  options: ExchangeOptions & { readonly stream: boolean },
): Promise<EventExchange | TextExchange> {
  return deliver(options, async ({ response: { status, headers }, requestId, attempts, text, events, done }) => {
    const head = { status, headers, requestId, attempts };
    if (!options.stream) {
      const whole = await text();
      done();
      return { ...head, text: whole };
    }
    const all = events();
    const first = await all.next();
    return { ...head, events: handOut() };

    async function* handOut(): AsyncGenerator<ServerSentEvent, void, undefined> {
      try {
        yield first.value!;
        yield* all;
      } finally {
        await all.return();
        done();
      }
    }
  });
}
