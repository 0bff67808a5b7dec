import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { digest } from '@skein/core';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { Problem } from './problem.ts';

interface AccessOptions {
  /** Needed from everyone when it is set; it has to be set for any address but loopback. */
  readonly token?: string | undefined;
  /** Names under which the server may be asked for, without a port; loopback names and bare addresses always count. */
  readonly hosts?: readonly string[] | undefined;
  readonly now?: (() => number) | undefined;
}

/** The headers of a request that say where it comes from. */
interface RequestSource {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** What a browser says of where the request comes from. */
  readonly fetchSite: string | undefined;
}

/** Decides who may use the server. Each method throws a `Problem` for whoever may not. */
export interface Access {
  /** Whether a browser on a page from elsewhere asks, or the server is asked for under a name that is not its own. */
  checkSource(asking: RequestSource): void;
  /**
   * Any of the given texts has to be the token of the server, or one of `others`; returns it. Undefined where the server needs
   * none and there is no list of others. `address`: from where.
   */
  checkToken(
    given: readonly (string | undefined)[],
    address: () => string | undefined,
    others?: readonly string[],
  ): string | undefined;
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
export function createAccess({ token, hosts = [], now = Date.now }: AccessOptions): Access {
  const names = new Set(['localhost', ...hosts.map((host) => host.toLowerCase())]);
  const wrong = new Map<string, readonly number[]>();

  return {
    checkSource({ host, origin, fetchSite }) {
      const name = hostName(host);
      // Names can be made to point anywhere, bare addresses cannot.
      if (name === undefined || !(names.has(name) || isIP(name) !== 0))
        throw new Problem(
          'wrong_host',
          'This server does not answer to that name: add it to "server.hosts" in skein.config.yaml, or to --hosts.',
        );
      if (origin !== undefined && !isOwnOrigin(origin, host, hosts))
        throw new Problem('wrong_origin', 'Pages from elsewhere may not use this server.');
      if (origin === undefined && fetchSite === 'cross-site')
        throw new Problem('wrong_origin', 'Pages from elsewhere may not use this server.');
    },
    checkToken(given, readAddress, others) {
      if (token === undefined && !others) return undefined;
      const accepted = [...(token === undefined ? [] : [token]), ...(others ?? [])];
      const address = readAddress() ?? '';
      const recent = (wrong.get(address) ?? []).filter((at) => at > now() - MINUTE);
      if (recent.length >= MAX_WRONG) throw new Problem('too_many_attempts', 'Too many wrong tokens: wait a minute.');
      const texts = given.filter((text) => text !== undefined);
      const found = accepted.find((one) => texts.some((text) => isSame(text, one)));
      if (found !== undefined) {
        wrong.delete(address);
        return found;
      }
      if (texts.length > 0) {
        wrong.delete(address);
        wrong.set(address, [...recent, now()]);
        if (wrong.size > MAX_ADDRESSES) wrong.delete(wrong.keys().next().value!);
      }
      throw new Problem('token_needed', 'Give the token of this server as "Authorization: Bearer …".');
    },
  };
}

/** Takes the same time wherever the texts differ. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digest(a)), Buffer.from(digest(b)));
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

/**
 * Whether only this machine reaches a server that listens there.
 *
 * @example
 * isLoopback('127.0.0.1'); // true
 * isLoopback('0.0.0.0'); // false
 */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

const COOKIE = 'skein_token';

/** Bytes of the form that asks for the token. */
const MAX_FORM = 4096;

/** Lets in whom `access` lets in: by bearer, header, cookie, by the form, or once by an address with `?token=`. */
export function guard(access: Access): MiddlewareHandler {
  return async (c, next) => {
    access.checkSource({
      host: c.req.header('host'),
      origin: c.req.header('origin'),
      fetchSite: isNavigation(c) ? undefined : c.req.header('sec-fetch-site'),
    });
    const typed = isTokenForm(c) ? (await c.req.parseBody()).token : undefined;
    const given = [...givenTokens(c), typeof typed === 'string' ? typed : undefined];
    const token = access.checkToken(given, () => readAddress(c));
    const isEntered = typed !== undefined || (c.req.query('token') !== undefined && c.req.method === 'GET');
    if (token !== undefined && isEntered) {
      // A token in an address would stay in histories and logs: it becomes a cookie at once.
      setCookie(c, COOKIE, token, { httpOnly: true, sameSite: 'Strict', path: '/', secure: isSecure(c) });
      const clean = new URL(c.req.url);
      clean.searchParams.delete('token');
      // A path such as //elsewhere would lead away.
      return c.redirect(`${clean.pathname.replace(/^\/+/, '/')}${clean.search}`, 303);
    }
    return next();
  };
}

/** A cookie may be from before the token was changed: what is typed in counts beside it. */
function givenTokens(c: Context): readonly (string | undefined)[] {
  const bearer = /^Bearer (.+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return [c.req.header('x-skein-token') ?? bearer ?? getCookie(c, COOKIE), c.req.query('token')];
}

/** The form is sent to the address of the page that was asked for; programs send none there. */
function isTokenForm(c: Context): boolean {
  const length = Number(c.req.header('content-length') ?? MAX_FORM + 1);
  return (
    c.req.method === 'POST' &&
    !/^\/(?:samples\/)?(?:api|proxy|gateway)\//.test(c.req.path) &&
    /^application\/x-www-form-urlencoded\b/i.test(c.req.header('content-type') ?? '') &&
    length <= MAX_FORM
  );
}

/** A link from elsewhere may open the page; it gets nothing by it. */
function isNavigation(c: Context): boolean {
  return c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
}

function isSecure(c: Context): boolean {
  return new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https';
}

function readAddress(c: Context): string | undefined {
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress;
}

/** Whether a browser asks for something to show to a person. */
export function isForPeople(c: Context): boolean {
  return (c.req.method === 'GET' || isTokenForm(c)) && (c.req.header('accept') ?? '').includes('text/html');
}

/** Asks a person for the token. It works without scripts: the form is sent to the same address, and leads there. */
export function tokenPage(c: Context, { status, code }: Problem): Response {
  // A cookie with a token of before would be a wrong attempt with every request.
  deleteCookie(c, COOKIE, { path: '/' });
  const wasWrong = c.req.query('token') !== undefined || isTokenForm(c);
  const told = code === 'too_many_attempts' ? 'Too many wrong tokens. Wait a minute.' : 'That is not the token.';
  return c.html(html(wasWrong || code === 'too_many_attempts' ? told : ''), status, { 'cache-control': 'no-store' });
}

const html = (problem: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Skein</title>
<style>
  :root {
    color-scheme: light dark; font: 15px/1.5 ui-sans-serif, system-ui, sans-serif;
    --page: #faf9f7; --surface: #fff; --line: #e4e1db; --edge: #8d887e; --ink: #1d1c1a; --soft: #55524c;
    --accent: #0f6b63; --accent-ink: #fff; --danger: #b42318
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --page: #161514; --surface: #1d1c1a; --line: #33302c; --edge: #827d74; --ink: #edebe6; --soft: #b9b4ab;
      --accent: #5ec8bb; --accent-ink: #0c1f1d; --danger: #ff8b7e
    }
  }
  * { box-sizing: border-box }
  body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem; background: var(--page); color: var(--ink) }
  form {
    display: grid; gap: .75rem; width: min(22rem, calc(100vw - 2rem)); padding: 1.5rem; border: 1px solid var(--line);
    border-radius: .75rem; background: var(--surface)
  }
  h1 { margin: 0; font-size: 1.25rem; font-weight: 600; letter-spacing: -.01em }
  label { color: var(--soft) }
  input, button { min-height: 2.5rem; padding: 0 .75rem; border-radius: .4rem; font: inherit }
  input { width: 100%; border: 1px solid var(--edge); background: var(--page); color: inherit }
  button { border: 0; background: var(--accent); color: var(--accent-ink); font-weight: 500; cursor: pointer }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
  p { margin: 0; color: var(--danger) }
</style>
<main>
  <form method="post">
    <h1>Skein</h1>
    <label for="token">This server needs its token. Whoever started it has it.</label>
    <input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
    ${problem && `<p role="alert">${problem}</p>`}
    <button>Open</button>
  </form>
</main>
</html>
`;
