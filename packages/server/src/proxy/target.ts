import { type Environment, type ProviderDescriptor, resolveEndpoint } from '@skein/core';
import { Problem } from '../http/problem.ts';

/** Where a request to the proxy goes. Its host comes from the configuration, never from the request. */
export interface Target {
  readonly provider: ProviderDescriptor;
  /** Protocol, host and port of the provider. */
  readonly origin: URL;
  /** Path and query, as they are sent. */
  readonly path: string;
  /** The demo answers in place of the provider, and the answer says so. */
  readonly isDemo?: true;
}

const PREFIX = '/proxy/';

/** Whether a request is for the proxy at all. */
export function isProxied(url: string | undefined): boolean {
  return url?.startsWith(PREFIX) ?? false;
}

/**
 * From `/proxy/openai/v1/responses?x=1` to the provider's address, or a `Problem`. Where a provider is found out the
 * first time it is asked for.
 */
export function createTargets(providers: readonly ProviderDescriptor[], env: Environment): (url: string) => Target {
  const known = new Map<string, Base>();
  const baseOf = (name: string): Base => {
    const there = known.get(name);
    if (there) return there;
    const found =
      providers.find(({ id }) => id === name) ?? providers.find(({ aliases }) => aliases?.includes(name) ?? false);
    if (!found?.connection)
      throw new Problem(404, 'unknown_provider', `There is no such provider. There are: ${namesOf(providers)}.`);
    const { provider, baseUrl } = endpointOf(found, env);
    const { origin, pathname } = new URL(baseUrl);
    const base = { provider, origin: new URL(origin), pathname };
    known.set(name, base);
    return base;
  };
  const find = (path: string): Target => {
    const [name = '', ...rest] = path.split('/');
    const { provider, origin, pathname } = baseOf(name);
    if (!isPlain(path)) throw new Problem(400, 'bad_path', 'The path has parts that lead elsewhere, such as "..".');
    return { provider, origin, path: joinPaths(pathname, rest) };
  };
  const found = new Map<string, Target>();
  return (url) => {
    const [path = '', ...query] = url.slice(PREFIX.length).split('?');
    const target = found.get(path) ?? find(path);
    if (found.size >= MOST_FOUND) found.clear();
    found.set(path, target);
    return query.length === 0 ? target : { ...target, path: `${target.path}?${query.join('?')}` };
  };
}

/** Clients ask at few paths, and again and again. */
const MOST_FOUND = 1000;

interface Base extends Pick<Target, 'provider' | 'origin'> {
  readonly pathname: string;
}

/**
 * SDKs disagree on whether the version belongs to the base address, so what the base ends with and the path begins
 * with counts once: `…/v1` and `v1/responses` are `…/v1/responses`.
 */
export function joinPaths(base: string, rest: readonly string[]): string {
  const above = base.split('/').filter((part) => part !== '');
  let shared = Math.min(above.length, rest.length);
  while (shared > 0 && above.slice(-shared).join('/') !== rest.slice(0, shared).join('/')) shared--;
  return `/${[...above, ...rest.slice(shared)].join('/')}`;
}

/** Nothing that a server on the way could read as a way up, or as the end of a line, however often it is encoded. */
function isPlain(path: string): boolean {
  if (/[ #]/.test(path) || !isDecodable(path)) return false;
  let text = path;
  for (let before = ''; text !== before; ) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    if (/[\u0000-\u001f\u007f\\]/.test(text) || text.split('/').some((part) => part === '.' || part === '..'))
      return false;
    before = text;
    // What matters is ASCII, and each round makes the text shorter.
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

function endpointOf(provider: ProviderDescriptor, env: Environment) {
  try {
    return resolveEndpoint(provider, { env });
  } catch (error) {
    throw new Problem(422, 'missing_base_url', (error as Error).message);
  }
}

function namesOf(providers: readonly ProviderDescriptor[]): string {
  return providers.map(({ id }) => id).join(', ');
}
