/** What models write is shown, and does nothing. */
import { says } from '@skein/emulator';
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
