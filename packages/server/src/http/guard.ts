import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Access } from './access.ts';

export const COOKIE = 'skein_token';

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
    const token = access.checkToken(given, () => addressOf(c));
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
export function isTokenForm(c: Context): boolean {
  const length = Number(c.req.header('content-length') ?? MAX_FORM + 1);
  return (
    c.req.method === 'POST' &&
    !/^\/(?:samples\/)?(?:api|proxy)\//.test(c.req.path) &&
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

function addressOf(c: Context): string | undefined {
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress;
}
