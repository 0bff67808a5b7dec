import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { sha256 } from '@skein/forest';
import { Problem } from './problem.ts';

export interface GuardOptions {
  /** Needed from everyone when it is set; it has to be set for any address but loopback. */
  readonly token?: string | undefined;
  /** Names under which the server may be asked for, without a port; loopback names and bare addresses always count. */
  readonly hosts?: readonly string[] | undefined;
  readonly now?: (() => number) | undefined;
}

/** What is looked at to let a request in. */
interface Asking {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** What a browser says of where the request comes from. */
  readonly fetchSite: string | undefined;
}

/** Lets in or throws a `Problem`. */
export interface Access {
  /** Whether a browser on a page from elsewhere asks, or the server is asked for under a name that is not its own. */
  checkSource(asking: Asking): void;
  /** Any of the given texts has to be the token; returns it. Undefined where the server needs none. `address`: from where. */
  checkToken(given: readonly (string | undefined)[], address: () => string | undefined): string | undefined;
}

/** Wrong tokens from one address in a minute before it has to wait. */
const MAX_WRONG = 20;
const MINUTE = 60_000;
/** Addresses that are remembered; the oldest are forgotten first. */
const MAX_ADDRESSES = 10_000;

/**
 * Who may ask. A page from elsewhere must not reach a server on this machine, not even under a name that it made
 * point here: the Host has to be ours, and the Origin of whatever a browser sends has to be that Host.
 */
export function createAccess({ token, hosts = [], now = Date.now }: GuardOptions): Access {
  const names = new Set(['localhost', ...hosts.map((host) => host.toLowerCase())]);
  const wrong = new Map<string, readonly number[]>();

  return {
    checkSource({ host, origin, fetchSite }) {
      const name = hostName(host);
      // Names can be made to point anywhere, bare addresses cannot.
      if (name === undefined || !(names.has(name) || isIP(name) !== 0))
        throw new Problem(
          421,
          'wrong_host',
          'This server does not answer to that name: add it to "server.hosts" in skein.config.yaml, or to --hosts.',
        );
      if (origin !== undefined && !isOwnOrigin(origin, host, hosts))
        throw new Problem(403, 'wrong_origin', 'Pages from elsewhere may not use this server.');
      if (origin === undefined && fetchSite === 'cross-site')
        throw new Problem(403, 'wrong_origin', 'Pages from elsewhere may not use this server.');
    },
    checkToken(given, addressOf) {
      if (token === undefined) return undefined;
      const address = addressOf() ?? '';
      const recent = (wrong.get(address) ?? []).filter((at) => at > now() - MINUTE);
      if (recent.length >= MAX_WRONG)
        throw new Problem(429, 'too_many_attempts', 'Too many wrong tokens: wait a minute.');
      const texts = given.filter((text) => text !== undefined);
      if (texts.some((text) => isSame(text, token))) {
        wrong.delete(address);
        return token;
      }
      if (texts.length > 0) {
        wrong.delete(address);
        wrong.set(address, [...recent, now()]);
        if (wrong.size > MAX_ADDRESSES) wrong.delete(wrong.keys().next().value!);
      }
      throw new Problem(401, 'token_needed', 'Give the token of this server as "Authorization: Bearer …".');
    },
  };
}

/** In the same time wherever they differ. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}

function isOwnOrigin(origin: string, host: string | undefined, hosts: readonly string[]): boolean {
  const from = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase())?.[1];
  if (from === undefined) return false;
  // Another program on this machine has another port, and its pages are not ours.
  return from === host?.toLowerCase() || hosts.some((name) => name.toLowerCase() === hostName(from));
}

/** Without its port, and without the brackets of an IPv6 address. */
function hostName(value: string | undefined): string | undefined {
  const found = /^(?:\[([^\]]+)\]|([^:/[\]]+))(?::\d{1,5})?$/.exec(value?.toLowerCase() ?? '');
  return found?.[1] ?? found?.[2];
}
