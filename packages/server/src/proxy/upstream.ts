import {
  provider as builtIn,
  type Environment,
  hasKey,
  isSkeinError,
  type ProviderDescriptor,
  resolveEndpoint,
  resolveKey,
} from '@skein/core';
import { Problem } from '../http/problem.ts';
import type { Services } from '../services.ts';

/** Where the proxy sends a request. The host comes from the configuration, never from the request. */
export interface Upstream {
  readonly provider: ProviderDescriptor;
  /** Protocol, host and port of the provider. */
  readonly origin: URL;
  /** Path and query, as they are sent. */
  readonly path: string;
  /** The demo answers instead of the provider; a header of the answer says so. */
  readonly isDemo?: true;
  /** The server signed the request in place of the client; a header of the answer says so. */
  readonly isSigned?: true;
}

const PREFIX = '/proxy/';

/** Whether a request is for the proxy at all. */
export function isProxied(url: string | undefined): boolean {
  return url?.startsWith(PREFIX) ?? false;
}

/**
 * Turns `/proxy/openai/v1/responses?x=1` into the provider's address, or throws a `Problem`. The address of a provider is
 * resolved once, when it is first needed.
 */
export function createUpstreams(providers: readonly ProviderDescriptor[], env: Environment): (url: string) => Upstream {
  const known = new Map<string, Base>();
  const findBase = (name: string): Base => {
    const there = known.get(name);
    if (there) return there;
    const found =
      providers.find(({ id }) => id === name) ?? providers.find(({ aliases }) => aliases?.includes(name) ?? false);
    if (!found?.connection)
      throw new Problem('unknown_provider', `This server has no such provider. It has: ${listIds(providers)}.`, {
        status: 404,
      });
    const { provider, baseUrl } = findEndpoint(found, env);
    const { origin, pathname } = new URL(baseUrl);
    const base = { provider, origin: new URL(origin), pathname };
    known.set(name, base);
    return base;
  };
  const find = (path: string): Upstream => {
    const [name = '', ...rest] = path.split('/');
    const { provider, origin, pathname } = findBase(name);
    if (!isPlainPath(path)) throw new Problem('bad_path', 'The path has parts that lead elsewhere, such as "..".');
    return { provider, origin, path: joinPaths(pathname, rest) };
  };
  const found = new Map<string, Upstream>();
  return (url) => {
    const [path = '', ...query] = url.slice(PREFIX.length).split('?');
    const upstream = found.get(path) ?? find(path);
    if (found.size >= MAX_CACHED) found.clear();
    found.set(path, upstream);
    return query.length === 0 ? upstream : { ...upstream, path: `${upstream.path}?${query.join('?')}` };
  };
}

/** Clients use few paths, over and over. */
const MAX_CACHED = 1000;

interface Base extends Pick<Upstream, 'provider' | 'origin'> {
  readonly pathname: string;
}

/**
 * Joins two paths and keeps the segments only once that the first ends with and the second begins with: SDKs disagree on
 * whether the version belongs to the base address. `…/v1` and `v1/responses` give `…/v1/responses`.
 */
export function joinPaths(base: string, rest: readonly string[]): string {
  const above = base.split('/').filter((part) => part !== '');
  let shared = Math.min(above.length, rest.length);
  while (shared > 0 && above.slice(-shared).join('/') !== rest.slice(0, shared).join('/')) shared--;
  return `/${[...above, ...rest.slice(shared)].join('/')}`;
}

/** Whether no server on the way could read a parent folder or a line break in the path, however often it is encoded. */
function isPlainPath(path: string): boolean {
  if (/[ #]/.test(path) || !isDecodable(path)) return false;
  let text = path;
  for (let before = ''; text !== before; ) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (/[\u0000-\u001f\u007f\\]/.test(text) || text.split('/').some((part) => part === '.' || part === '..'))
      return false;
    before = text;
    // Only ASCII matters, and each round makes the text shorter, so this ends.
    text = text.replace(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  }
  return true;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function findEndpoint(provider: ProviderDescriptor, env: Environment) {
  try {
    return resolveEndpoint(provider, { env });
  } catch (error) {
    throw new Problem('missing_base_url', (error as Error).message);
  }
}

function listIds(providers: readonly ProviderDescriptor[]): string {
  return providers.map(({ id }) => id).join(', ');
}

/** The address and key of the demo for a request without a key; undefined if the provider itself answers. */
type DemoUpstreams = (
  url: string,
  provider: ProviderDescriptor,
  given: ClientKeys,
  token: string | undefined,
) => { readonly upstream: Upstream; readonly credentials: Credentials } | undefined;

/** Undefined if the server has no demo. */
export function createDemoUpstreams({ demo, ownEnv, providers }: Services): DemoUpstreams | undefined {
  if (!demo) return undefined;
  const findUpstream = createUpstreams(providers, demo);
  return (url, provider, given, token) => {
    const variables = provider.connection?.baseUrlVariables ?? [];
    if (!variables.some((name) => demo[name]) || hasOwnAddress(provider, variables, ownEnv)) return undefined;
    const upstream = { ...findUpstream(url), isDemo: true } as const;
    return { upstream, credentials: chooseCredentials(provider, demo, given, { token, useServerKeys: true }) };
  };
}

/** Whether a variable or the configuration sets the address of this provider. */
function hasOwnAddress(
  { id, connection }: ProviderDescriptor,
  variables: readonly string[],
  env: Environment,
): boolean {
  return variables.some((name) => env[name]?.trim()) || connection?.baseUrl !== builtInAddress(id);
}

function builtInAddress(id: string): string | undefined {
  try {
    return builtIn(id).connection?.baseUrl;
  } catch (error) {
    if (isSkeinError(error, 'unknown_provider')) return undefined;
    throw error;
  }
}

/** The headers in which clients of any provider send their key. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** A client whose SDK insists on a key gives this one to say that it has none. */
export const NO_KEY = 'skein';

/** The keys that the client sent, by the name of their header; that of `?key=` is under `key`. */
export type ClientKeys = ReadonlyMap<string, string>;

export function readKeys(headers: ReadonlyMap<string, string>, path: string): ClientKeys {
  const keys = new Map<string, string>();
  for (const name of KEY_HEADERS) {
    const value = headers
      .get(name)
      ?.replace(/^Bearer\s+/i, '')
      .trim();
    if (value) keys.set(name, value);
  }
  const query = path.split('?', 2)[1];
  const inQuery = query === undefined ? null : new URLSearchParams(query).get('key');
  if (inQuery) keys.set('key', inQuery);
  return keys;
}

/** The headers of a signature: one that a client made for the proxy's host is worth nothing at the provider's. */
const SIGNATURE_HEADERS = ['authorization', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'] as const;

/** Whether the server signs a request with its own credentials; a reason where it must be signed, but may not be. */
export type Signing = { readonly without: readonly string[] } | { readonly refusal: string };

/**
 * A signature covers the host, so a request that a client signed has to be signed again. That is done for whoever signs with
 * the server's own account, and for everyone if the operator lets clients use the server's keys.
 */
export function planSigning(
  { id, connection }: ProviderDescriptor,
  env: Environment,
  given: ClientKeys,
  { useServerKeys }: { readonly useServerKeys: boolean },
): Signing | undefined {
  if (connection?.signer === undefined) return undefined;
  const { credentialVariables = [], keyVariables } = connection;
  const has = (names: readonly string[]) => names.some((name) => env[name]?.trim());
  const signed = /^AWS4-HMAC-SHA256\b.*Credential=([^/]+)\//.exec(given.get('authorization') ?? '');
  if (!signed) {
    const isAsked = given.size === 0 && useServerKeys && !has(keyVariables) && has(credentialVariables);
    return isAsked ? { without: [] } : undefined;
  }
  const isOwnAccount = credentialVariables.some((name) => env[name]?.trim() === signed[1]);
  if (isOwnAccount || (useServerKeys && has([...credentialVariables, ...keyVariables])))
    return { without: SIGNATURE_HEADERS };
  return {
    refusal: `The request is signed for the host of this proxy, and ${id} would refuse it. Sign with the account of the server (${credentialVariables.join(', ')}), let clients use the server's keys, or send a key (${keyVariables.join(', ')}).`,
  };
}

/** What is removed from a request and added to it to sign it. */
interface Credentials {
  /** Whether the request is sent with a key, the client's own or the server's. */
  readonly hasKey: boolean;
  /** Headers that are not forwarded, and `key` for `?key=`. */
  readonly without: ReadonlySet<string>;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Takes the client's own key, or the server's if the client has none and the operator allows it. */
export function chooseCredentials(
  provider: ProviderDescriptor,
  env: Environment,
  given: ClientKeys,
  options: { readonly token: string | undefined; readonly useServerKeys: boolean },
): Credentials {
  // The provider must never see the token of this server.
  const isNone = (value: string) => value === NO_KEY || value === options.token;
  const without = new Set([...given].filter(([, value]) => isNone(value)).map(([name]) => name));
  const hasOwn = without.size < given.size;
  if (hasOwn || !options.useServerKeys || !hasKey(provider, { env })) return { hasKey: hasOwn, without, headers: [] };
  const key = resolveKey(provider, { env });
  if (key === undefined) return { hasKey: false, without, headers: [] };
  const { auth = [] } = provider.connection ?? {};
  return {
    hasKey: true,
    without,
    headers: auth.flatMap(({ header, value }) => [header, value.replaceAll('{key}', key)]),
  };
}

/** The path without `?key=`, otherwise unchanged. */
export function withoutKey(path: string): string {
  const [plain = '', query] = path.split('?', 2);
  if (query === undefined) return path;
  // The name of the parameter may be encoded.
  const kept = query.split('&').filter((pair) => !new URLSearchParams(pair).has('key'));
  return kept.length === 0 ? plain : `${plain}?${kept.join('&')}`;
}
