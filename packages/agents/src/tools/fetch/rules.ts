import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { SkeinError } from '@skein/core';
import { isPublicAddress } from './addresses.ts';

export interface FetchRules {
  /** Only these hosts; undefined for all that are public. */
  readonly hosts?: readonly string[] | undefined;
  /** `host:port` of addresses that may be private. */
  readonly privateHosts?: readonly string[] | undefined;
  /** Finds the addresses of a name; for tests. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
}

/** An address that will not be asked. */
class AddressRefusedError extends SkeinError {
  override readonly name = 'AddressRefusedError';
  readonly code = 'address_refused';

  constructor(url: URL, why: string) {
    super(`${url.origin} is not fetched: ${why}.`);
  }
}

/** The addresses that may be asked for this URL. Asking any other, found by a second look-up, would undo the check. */
export async function addressesFor(url: URL, rules: FetchRules): Promise<readonly LookupAddress[]> {
  const { hosts, privateHosts = [], resolve = (host) => lookup(host, { all: true, verbatim: true }) } = rules;
  if (!/^https?:$/.test(url.protocol)) throw new AddressRefusedError(url, 'only http and https are');
  if (url.username || url.password) throw new AddressRefusedError(url, 'it holds a name or a password');
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const isPrivateAllowed = privateHosts.includes(`${host}:${portOf(url)}`);
  if (hosts && !hosts.includes(host) && !isPrivateAllowed)
    throw new AddressRefusedError(url, `the only hosts that are: ${hosts.join(', ')}`);
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw new AddressRefusedError(url, 'its name has no address');
  // One private address among public ones is a trick, or a mistake.
  if (!isPrivateAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
    throw new AddressRefusedError(url, 'its address is not public');
  return addresses;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
