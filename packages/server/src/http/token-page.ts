import type { Context } from 'hono';
import { deleteCookie } from 'hono/cookie';
import { COOKIE, isTokenForm } from './guard.ts';
import type { Problem } from './problem.ts';

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
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { display: grid; place-content: center; min-height: 100vh; margin: 0; padding: 1rem }
  form { display: grid; gap: .75rem; width: min(22rem, 90vw) }
  input, button { font: inherit; padding: .5rem .75rem }
  p { margin: 0 }
</style>
<form method="post">
  <h1>Skein</h1>
  <label for="token">This server needs its token. Whoever started it has it.</label>
  <input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
  ${problem && `<p role="alert">${problem}</p>`}
  <button>Open</button>
</form>
</html>
`;
