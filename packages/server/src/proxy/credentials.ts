import { type Environment, hasKey, type ProviderDescriptor, resolveKey } from '@skein/core';

/** The headers in which clients of any provider send their key. */
const KEY_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'] as const;

/** SDKs insist on a key: this one says that there is none. */
const NO_KEY = 'skein';

/** Every key that the client gave, by the header it stands in; `?key=` is under `key`. */
export type GivenKeys = ReadonlyMap<string, string>;

export function givenKeys(headers: ReadonlyMap<string, string>, path: string): GivenKeys {
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

/** How a request is changed before it goes out. */
export interface Signing {
  /** It goes out with a key, the client's own or the server's. */
  readonly hasKey: boolean;
  /** Headers, and `key` for `?key=`, that do not go on. */
  readonly without: ReadonlySet<string>;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** The client's own key, or the server's where it has none and the operator allows it. */
export function signingOf(
  provider: ProviderDescriptor,
  env: Environment,
  given: GivenKeys,
  options: { readonly token: string | undefined; readonly useServerKeys: boolean },
): Signing {
  // The token of this server is no business of the provider, whoever signs.
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

/** An address without `?key=`, otherwise as it stands. */
export function withoutKey(path: string): string {
  const [plain = '', query] = path.split('?', 2);
  if (query === undefined) return path;
  // The name may be encoded, too.
  const kept = query.split('&').filter((pair) => !new URLSearchParams(pair).has('key'));
  return kept.length === 0 ? plain : `${plain}?${kept.join('&')}`;
}
