import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Access } from './access.ts';

export const COOKIE = 'skein_token';

/** Lets in whom `access` lets in: by bearer, header, cookie, or once by an address with `?token=`. */
export function guard(access: Access): MiddlewareHandler {
  return async (c, next) => {
    access.checkSource({
      host: c.req.header('host'),
      origin: c.req.header('origin'),
      fetchSite: isNavigation(c) ? undefined : c.req.header('sec-fetch-site'),
    });
    const token = access.checkToken(givenTokens(c), () => addressOf(c));
    if (token !== undefined && c.req.query('token') !== undefined && c.req.method === 'GET') {
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

/** A link from elsewhere may open the page; it gets nothing by it. */
function isNavigation(c: Context): boolean {
  return c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
}

function isSecure(c: Context): boolean {
  return new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https';
}

function addressOf(c: Context): string | undefined {
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress;
}
