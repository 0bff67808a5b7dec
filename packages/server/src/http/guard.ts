import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '@skein/forest';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { Problem } from './problem.ts';

export interface GuardOptions {
  /** Needed from everyone when it is set; it has to be set for any address but loopback. */
  readonly token?: string | undefined;
  /** Names under which the server may be asked for, without a port; loopback names always count. */
  readonly hosts?: readonly string[] | undefined;
  readonly now?: () => number;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);
const COOKIE = 'skein_token';
/** Wrong tokens from one address in a minute before it has to wait. */
const MAX_WRONG = 20;
const MINUTE = 60_000;

/**
 * Who may ask. A page from elsewhere must not reach a server on this machine, not even under a name that it made
 * point here: the Host has to be ours, and so has the Origin of whatever a browser sends across.
 */
export function guard({ token, hosts = [], now = Date.now }: GuardOptions): MiddlewareHandler {
  const allowed = new Set([...LOOPBACK, ...hosts]);
  const wrong = new Map<string, number[]>();

  return async (c, next) => {
    const host = hostOf(c.req.header('host'));
    if (host === undefined || !allowed.has(host))
      throw new Problem(421, 'wrong_host', 'This server does not answer to that name: name it under "server.hosts".');
    const origin = c.req.header('origin');
    if (origin !== undefined && origin !== 'null' && !allowed.has(hostOf(origin.replace(/^https?:\/\//, '')) ?? ''))
      throw new Problem(403, 'wrong_origin', 'Pages from elsewhere may not use this server.');
    if (origin === 'null' && c.req.method !== 'GET')
      throw new Problem(403, 'wrong_origin', 'Pages without an origin may not change anything on this server.');
    if (token === undefined) return next();

    const from = addressOf(c);
    const recent = (wrong.get(from) ?? []).filter((at) => at > now() - MINUTE);
    if (recent.length >= MAX_WRONG)
      throw new Problem(429, 'too_many_attempts', 'Too many wrong tokens: wait a minute.');
    const given = givenToken(c);
    if (given === undefined || !isSame(given, token)) {
      if (given !== undefined) wrong.set(from, [...recent, now()]);
      throw new Problem(401, 'token_needed', 'Give the token of this server as "Authorization: Bearer …".');
    }
    wrong.delete(from);
    if (c.req.query('token') !== undefined && c.req.method === 'GET') {
      // A token in an address would stay in histories and logs: it becomes a cookie at once.
      setCookie(c, COOKIE, token, { httpOnly: true, sameSite: 'Strict', path: '/' });
      const clean = new URL(c.req.url);
      clean.searchParams.delete('token');
      return c.redirect(`${clean.pathname}${clean.search}`, 303);
    }
    return next();
  };
}

function givenToken(c: Context): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return c.req.header('x-skein-token') ?? bearer ?? getCookie(c, COOKIE) ?? c.req.query('token');
}

/** In the same time wherever they differ. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(a)), Buffer.from(sha256(b)));
}

function hostOf(value: string | undefined): string | undefined {
  return value === undefined ? undefined : /^(\[[^\]]+\]|[^:/]+)(:\d+)?$/.exec(value.toLowerCase())?.[1];
}

function addressOf(c: Context): string {
  const { incoming } = c.env as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress ?? '';
}
