/** What models write is shown, and does nothing. */
import { readFileSync } from 'node:fs';
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import { expect, test } from 'vitest';
import { inChromium, startApp } from './kit.ts';

inChromium();

const ZOO = [
  '<script>window.bitten = 1</script>',
  '<img src=x onerror="window.bitten = 1">',
  '<svg onload="window.bitten = 1"><a xlink:href="javascript:window.bitten=1"><text>x</text></a></svg>',
  '<iframe src="javascript:window.top.bitten=1"></iframe>',
  '<details open ontoggle="window.bitten=1">',
  '[click](javascript:window.bitten=1)',
  '[click](JaVaScRiPt:window.bitten=1)',
  '[click](data:text/html,<script>window.opener.bitten=1</script>)',
  '[click](vbscript:msgbox)',
  '![see](https://elsewhere.example/pixel.png)',
  '<https://elsewhere.example/auto>',
  '![x](x"onerror="window.bitten=1)',
  '<a href="//elsewhere.example" onclick="window.bitten=1">a</a>',
  '<style>body { display: none }</style>',
  '<form action="https://elsewhere.example"><input name=q></form>',
  '<base href="https://elsewhere.example/">',
  '<meta http-equiv="refresh" content="0;url=https://elsewhere.example">',
  '```html"><script>window.bitten=1</script>\n<img src=x onerror=window.bitten=1>\n```',
  '`<script>window.bitten=1</script>`',
  '| a | <script>window.bitten=1</script> |\n|---|---|\n| b | <img src=x onerror=window.bitten=1> |',
  '\u202Etxt.exe\u202C and \u0000 and \uFFFF',
  '&lt;script&gt;window.bitten=1&lt;/script&gt; &#x3C;img src=x onerror=window.bitten=1&#x3E;',
  '{{constructor.constructor("window.bitten=1")()}}',
  `${'> '.repeat(200)}deep`,
];

test('a zoo of outputs is shown as text: nothing runs, nothing is fetched from elsewhere', async () => {
  const { open, emulator, url } = await startApp();
  emulator.script('anthropic-messages', {
    blocks: [
      { type: 'thinking', text: ZOO.join('\n\n') },
      { type: 'text', text: ZOO.join('\n\n') },
      { type: 'native', value: { type: '<img src=x onerror=window.bitten=1>', html: ZOO } },
    ],
  });
  const page = await open('/new');
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:') && !request.url().startsWith('blob:'))
      elsewhere.push(request.url());
  });
  await page.getByRole('textbox', { name: 'Message' }).fill(`Show me: ${ZOO[0]} ${ZOO[1]}`);
  await page.keyboard.press('Control+Enter');
  const answer = page.getByRole('article', { name: 'assistant message' });
  await answer.getByText('window.bitten', { exact: false }).first().waitFor();
  const folded = answer.locator('button[aria-expanded=false]:not([aria-haspopup])').first();
  while ((await folded.count()) > 0) await folded.click();

  expect(await page.evaluate('window.bitten')).toBeUndefined();
  expect(elsewhere).toEqual([]);
  const found = await page.evaluate(() => ({
    frames: document.querySelectorAll('iframe, form[action*="elsewhere"], base, meta[http-equiv="refresh"]').length,
    remote: [...document.images].filter(({ src }) => src.includes('elsewhere')).length,
    handlers: [...document.querySelectorAll('*')].filter((one) =>
      one.getAttributeNames().some((name) => /^on/i.test(name)),
    ).length,
    links: [...document.querySelectorAll('article a')].map((link) => ({
      scheme: (link as HTMLAnchorElement).protocol,
      rel: (link as HTMLAnchorElement).rel,
    })),
  }));
  expect(found).toMatchObject({ frames: 0, remote: 0, handlers: 0 });
  for (const { scheme, rel } of found.links) {
    expect(scheme).toMatch(/^(https?|mailto):$/);
    expect(rel).toContain('noopener');
  }
  // The titles that came of it are text, too.
  await page.goto(`${url}/`);
  await page.getByRole('main').getByRole('link').filter({ hasText: 'Show me' }).first().waitFor();
  expect(await page.evaluate('window.bitten')).toBeUndefined();
});

test('the page says by its headers that only its own scripts may run', async () => {
  const { url } = await startApp();
  const { headers } = await fetch(`${url}/`);
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self'/);
  expect(headers.get('content-security-policy')).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline/);
});

test('every directive of the content security policies is the one that is documented', async () => {
  const { url, forest } = await startApp();
  const { id } = await forest.threads.begin([user('Hi')]);
  const documented = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
  const [, section = ''] = documented.split('## Content security policies');
  const rows = [...section.split('\n## ')[0]!.matchAll(/^\| `(.+?)` \| (.+?) \| (.+?) \| (.+?) \|/gm)];
  const column = (at: number) =>
    rows
      .map((row) => [row[1], row[at]!.replaceAll('`', '')] as const)
      .filter(([, value]) => value !== '–')
      .map(([name, value]) => (value === 'set' ? name : `${name} ${value}`))
      .sort();
  const served = async (path: string) =>
    (await fetch(url + path)).headers.get('content-security-policy')!.split('; ').sort();
  expect(await served('/')).toEqual(column(2));
  expect(await served('/preview.html')).toEqual(column(3));
  expect(await served(`/api/v1/export?format=html&thread=${id}&show=true`)).toEqual(column(4));
});

test('no screen sends a request to another host', async () => {
  const { open, forest, url } = await startApp();
  await seedSample(forest);
  const remote = '![a](https://elsewhere.example/a.png) <img src="https://elsewhere.example/b.png"> $x^2$';
  const { id, head } = await forest.threads.begin([user('Show me.'), assistant(remote)], { title: 'Remote' });
  const { items } = await forest.threads.list({ agent: 'claude-code' });
  const page = await open('/');
  const elsewhere: string[] = [];
  // Also those of workers and frames.
  page.context().on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== url && !['data:', 'blob:'].includes(protocol)) elsewhere.push(request.url());
  });
  let count = 0;
  page.on('request', () => count++);
  await page.reload();
  const paths = ['/', '/?q=Lisbon', '/?view=bookmarks', '/?view=deleted', '/new', `/t/${id}`, `/c/${head}`];
  paths.push('/t/sample-tile', '/t/sample-lisbon', `/s/${items[0]!.id}`, '/graph', `/graph/${head}`);
  paths.push(`/compare?nodes=${head}`, '/compare?again', '/recordings', '/recordings/cassettes', '/usage', '/settings');
  for (const path of [...paths, '/no/such/place']) {
    // As by a link of the page itself.
    await page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await page.getByRole('main').getByRole('heading').first().waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('main .animate-pulse.bg-hover').count(), { message: path }).toBe(0);
    await page.evaluate('document.fonts.ready');
  }
  expect(elsewhere).toEqual([]);
  expect(count).toBeGreaterThan(paths.length);
});

test('keys are nowhere in what the page gets', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', says('Nothing to see.'));
  const page = await open('/settings');
  const bodies: string[] = [];
  page.on('response', async (response) => bodies.push(await response.text().catch(() => '')));
  await page.reload();
  await page.getByRole('heading', { name: /Providers/ }).waitFor();
  expect(bodies.join('\n')).not.toMatch(/sk-emulator/);
});

test('the token is typed into a form, and no address ever has it', async () => {
  const { open, url } = await startApp({ token: 'correct-horse' });
  // Opening a server that asks for its token is answered with 401.
  const page = await open('/settings', { troubles: /401/ });
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  await page.getByLabel(/token/).fill('correct-horse');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /Providers/ }).waitFor();
  expect(page.url()).toBe(`${url}/settings`);
  expect(addresses.join('\n')).not.toContain('correct-horse');
});
