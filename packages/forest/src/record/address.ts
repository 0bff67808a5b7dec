import { dialect, type ProviderDescriptor, providers } from '@skein/core';
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

const GENERATE: readonly (readonly [path: RegExp, dialect: string])[] = [
  [/\/chat\/completions$/, 'openai-chat'],
  [/\/responses$/, 'openai-responses'],
  [/\/v1\/messages$/, 'anthropic-messages'],
  [/\/model\/(?<model>[^/]*(?:anthropic|claude)[^/]*)\/invoke$/, 'anthropic-messages'],
  [/\/publishers\/anthropic\/models\/(?<model>[^/:]+):(?:streamR|r)awPredict$/, 'anthropic-messages'],
  [/\/(?<model>[^/:]+):(?:generateContent|streamGenerateContent)$/, 'google-generatecontent'],
];

/** What a request to this path asks for. */
export function readAddress(method: string, path: string): Address {
  const plain = path.replace(/\/+$/, '');
  if (method === 'POST') {
    for (const [pattern, id] of GENERATE) {
      const found = pattern.exec(plain);
      if (!found) continue;
      const model = found.groups?.model;
      return { kind: 'generate', dialect: id, ...(model !== undefined && { model: decoded(model) }) };
    }
  }
  const polled = /\/responses\/(?<id>resp[\w-]+)(?<cancel>\/cancel)?$/.exec(plain)?.groups;
  const isPoll = polled && (method === 'POST') === (polled.cancel !== undefined) && /^(?:GET|POST)$/.test(method);
  return isPoll ? { kind: 'poll', dialect: 'openai-responses', responseId: polled.id! } : { kind: 'other' };
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
