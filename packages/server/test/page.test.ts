import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startWorld } from './kit.ts';

const SCRIPT = 'console.log("page")';

function builtPage(): string {
  const outside = mkdtempSync(join(tmpdir(), 'skein-page-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const folder = join(outside, 'dist');
  mkdirSync(join(folder, 'assets'), { recursive: true });
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'index.html'), '<title>The page</title>');
  writeFileSync(join(folder, '.env'), 'secret');
  writeFileSync(join(folder, 'assets', 'app-1a2b.js'), SCRIPT);
  writeFileSync(join(folder, 'assets', 'app-1a2b.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets', 'app-1a2b.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets', 'app-1a2b.css'), 'body{}');
  symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
  return folder;
}

const PEOPLE = { accept: 'text/html,application/xhtml+xml' };
const page = async (token?: string) => startWorld({ page: builtPage(), ...(token !== undefined && { token }) });

/** With a path that `fetch` would tidy up before it sends it. */
function rawGet(url: string, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, text }));
    })
      .on('error', reject)
      .end();
  });
}

describe('the page', () => {
  test.each(['/', '/c/9f3c21ab', '/graph', '/t/abc/compare?a=1', '/index.html'])(
    '%s is index.html, asked anew each time',
    async (path) => {
      const { server } = await page();
      const response = await fetch(server.url + path);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('The page');
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      const again = await fetch(server.url + path, { headers: { 'if-none-match': response.headers.get('etag')! } });
      expect(again.status).toBe(304);
    },
  );

  test('assets are kept for good, and come compressed as they were built', async () => {
    const { server } = await page();
    const get = (encoding: string) =>
      fetch(`${server.url}/assets/app-1a2b.js`, { headers: { 'accept-encoding': encoding } });
    for (const [accepted, sent] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const response = await get(accepted);
      expect(response.headers.get('content-encoding')).toBe(sent);
      expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(response.headers.get('cache-control')).toContain('immutable');
      expect(await response.text()).toBe(SCRIPT);
    }
    const style = await fetch(`${server.url}/assets/app-1a2b.css`);
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    const head = await fetch(`${server.url}/assets/app-1a2b.css`, { method: 'HEAD' });
    expect({ status: head.status, text: await head.text() }).toEqual({ status: 200, text: '' });
  });

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/link.txt',
    '/.env',
    '/assets',
    '/assets/none.js',
    '/%ff.txt',
    '/a%00.txt',
  ])('%s gives nothing away', async (path) => {
    const { server } = await page();
    const { status, text } = await rawGet(server.url, path);
    expect(text).not.toContain('secret');
    // What has no ending is an address of the page.
    expect(status).toBe(path === '/assets' ? 200 : 404);
  });

  test.each(['/api/v1/none', '/api', '/proxy/none', '/metrics/none'])('%s is not the page', async (path) => {
    const { server } = await page();
    expect(await (await fetch(server.url + path, { headers: PEOPLE })).text()).not.toContain('The page');
  });

  test('without one, only the API is there', async () => {
    const { server } = await startWorld();
    expect((await fetch(`${server.url}/`)).status).toBe(404);
  });
});

describe('a server with a token', () => {
  const ask = (url: string, headers: Record<string, string> = PEOPLE) => fetch(url, { headers, redirect: 'manual' });

  test('asks a person for it in a form without scripts, which leads to the page they wanted', async () => {
    const { server } = await page('open sesame');
    const asked = await ask(`${server.url}/c/9f3c?x=1`);
    expect(asked.status).toBe(401);
    expect(asked.headers.get('content-security-policy')).toContain("form-action 'self'");
    const text = await asked.text();
    expect(text).toMatch(/<form method="post">[\s\S]*name="token"/);
    expect(text).not.toMatch(/<script|role="alert"/);

    const type = (token: string) =>
      fetch(`${server.url}/c/9f3c`, {
        method: 'POST',
        headers: PEOPLE,
        body: new URLSearchParams({ token }),
        redirect: 'manual',
      });
    const wrong = await type('no');
    expect(wrong.status).toBe(401);
    expect(await wrong.text()).toContain('That is not the token.');
    expect(await (await ask(`${server.url}/c/9f3c?token=no`)).text()).toContain('That is not the token.');

    const right = await type('open sesame');
    expect({ status: right.status, to: right.headers.get('location') }).toEqual({ status: 303, to: '/c/9f3c' });
    const cookie = right.headers.get('set-cookie')!.split(';')[0]!;
    const opened = await ask(`${server.url}/c/9f3c`, { ...PEOPLE, cookie });
    expect(await opened.text()).toContain('The page');
  });

  test('a cookie from before the token was changed does not keep the right one out', async () => {
    const { server } = await page('new');
    const cookie = 'skein_token=old';
    const asked = await ask(`${server.url}/`, { ...PEOPLE, cookie });
    expect(asked.status).toBe(401);
    expect(asked.headers.get('set-cookie')).toMatch(/^skein_token=;.*Max-Age=0/i);
    expect((await ask(`${server.url}/?token=new`, { ...PEOPLE, cookie })).status).toBe(303);
  });

  test('programs and files of the page get a problem, not a form', async () => {
    const { server, api } = await page('open sesame');
    expect((await api('GET', '/threads')).body).toMatchObject({ code: 'token_needed' });
    const asset = await ask(`${server.url}/assets/app-1a2b.js`, { accept: '*/*' });
    expect(asset.headers.get('content-type')).toContain('application/problem+json');
  });
});
