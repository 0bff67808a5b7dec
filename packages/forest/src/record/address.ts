import { dialect, dialects, type ProviderDescriptor, providers } from '@skein/core';
import type { ExchangeKind } from './exchange.ts';

/** What an address means. */
export interface Address {
  readonly kind: ExchangeKind;
  readonly dialect?: string;
  /** Google and others have the model in the path. */
  readonly model?: string;
  /** The response that is asked about. */
  readonly responseId?: string;
}

const KINDS = { ask: 'generate', poll: 'poll' } as const;

/** What a request to this path asks for. Where several protocols have such an address, that of the provider counts. */
export function readAddress(method: string, path: string, spoken?: string): Address {
  const plain = path.replace(/\/+$/, '');
  const known = dialects();
  const own = known.filter(({ id }) => id === spoken);
  for (const { id, endpoints = [] } of [...own, ...known]) {
    for (const endpoint of endpoints) {
      const found = endpoint.method === method ? endpoint.path.exec(plain) : null;
      if (!found) continue;
      const { model, response } = found.groups ?? {};
      return {
        kind: KINDS[endpoint.operation],
        dialect: id,
        ...(model !== undefined && { model: decoded(model) }),
        ...(response !== undefined && { responseId: response }),
      };
    }
  }
  return { kind: 'other' };
}

/**
 * Whose address it is: the provider with this host. Of an unknown host (a gateway, an emulator) nothing is known but
 * what it speaks, so it is taken for that dialect's home, as core does when a base address is changed.
 */
export function providerAt(url: URL, dialectId: string | undefined): ProviderDescriptor | undefined {
  const here = providers().filter(({ connection }) => connection?.baseUrl && hostOf(connection.baseUrl) === url.host);
  if (dialectId === undefined) return here[0];
  return here.find((one) => one.dialect === dialectId) ?? here[0] ?? dialect(dialectId).home;
}

/** Who issues what comes from there. */
export function issuerAt(url: URL, descriptor: ProviderDescriptor | undefined): string {
  return descriptor ? descriptor.issuer.replace('{host}', url.host) : url.host;
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).host : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
