import type { GatewayToken } from '@skein/agents';
import type { Environment, ProviderDescriptor } from '@skein/core';
import type { Access } from '../http/access.ts';
import { type ClientKeys, NO_KEY, readKeys } from '../proxy/upstream.ts';
import { isSameVendor } from './routes.ts';

/** Whoever asks the gateway. */
export interface GatewayCaller {
  /** The name of its token; undefined where the server needs none. */
  readonly name: string | undefined;
  /** The token itself: no provider and no recording may get it. */
  readonly token: string | undefined;
  /** The keys of its own that it sent, by the names of their headers. */
  readonly keys: ClientKeys;
}

/** The name of whoever has the token of the server itself, which has no budget. */
const SERVER = 'server';

/** Decides who may use the gateway, and whose key goes where. */
export interface GatewayTokens {
  /** Throws a `Problem` where a token is needed and none was given. */
  admit(headers: ReadonlyMap<string, string>, url: string, address: () => string | undefined): GatewayCaller;
  /** The caller's own key for a provider: only for the vendor whose protocol the client speaks. */
  keyFor(caller: GatewayCaller, vendor: ProviderDescriptor, target: ProviderDescriptor): string | undefined;
}

/**
 * Clients give a token where their SDK has the key, or in `x-skein-token`. Where tokens are configured, everyone needs one of
 * them or that of the server, on loopback as well: a budget that one may leave out would be none.
 */
export function createGatewayTokens(
  tokens: readonly GatewayToken[],
  env: Environment,
  access: Pick<Access, 'checkToken'>,
): GatewayTokens {
  const names = new Map(
    tokens.flatMap(({ name, variable }) => (env[variable] ? [[env[variable], name] as const] : [])),
  );
  // A token whose variable is empty lets nobody in, and still is a reason to ask for one.
  const isNeeded = tokens.length > 0;
  return {
    admit(headers, url, address) {
      const keys = readKeys(headers, url);
      const given = [headers.get('x-skein-token'), ...keys.values()];
      const token = access.checkToken(given, address, isNeeded ? [...names.keys()] : undefined);
      const own = [...keys].filter(([, value]) => value !== token && value !== NO_KEY);
      return { name: token === undefined ? undefined : (names.get(token) ?? SERVER), token, keys: new Map(own) };
    },
    keyFor({ keys }, vendor, target) {
      if (keys.size === 0 || !isSameVendor(vendor, target, env)) return undefined;
      const places = [...(vendor.connection?.auth ?? []).map(({ header }) => header.toLowerCase()), ...keys.keys()];
      return places.map((place) => keys.get(place)).find((key) => key !== undefined);
    },
  };
}
