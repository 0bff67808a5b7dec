import type { EventExchange, TextExchange } from './exchange.ts';
import type { ExchangeOptions } from './exchange-options.ts';

/**
 * Sends a request and gives the reply, after as many attempts as it takes. Streams come back with their first event,
 * and from then on nothing is sent again. Throws a `ProviderError`. What it takes is loaded with the first request.
 */
export async function exchange(options: ExchangeOptions & { readonly stream: true }): Promise<EventExchange>;
export async function exchange(options: ExchangeOptions & { readonly stream: false }): Promise<TextExchange>;
export async function exchange(
  options: ExchangeOptions & { readonly stream: boolean },
): Promise<EventExchange | TextExchange> {
  return (await import('./exchange.ts')).exchange(options);
}
