/** What a conversation shows beside its text, each reached by keys: thoughts, calls, sources, pictures, code. */
import { gzipSync } from 'node:zlib';
import { assistant, user } from '@skein/core';
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, program, startApp } from './kit.ts';

inChromium();

const answer = (page: Page) => page.getByRole('article', { name: 'assistant message' });

/** What has the focus is pressed by Enter, as whoever came there by Tab would. */
const enter = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().press('Enter');

test('thoughts and calls are folded lines that Space opens, and calls made together stand side by side', async () => {
  const app = await startApp();
  const call = program(app);
  const use = (city: string) => ({ type: 'tool-use' as const, name: 'get_weather', input: { city } });
  await call(
    { messages: [{ role: 'user', content: 'Where is it warm?' }] },
    { blocks: [{ type: 'thinking', text: 'Two cities come to mind.' }, use('Porto'), use('Faro')] },
  );
  const page = await app.open('/');
  await page.getByRole('main').getByRole('link', { name: 'Where is it warm?' }).press('Enter');
  const thought = answer(page).getByRole('article', { name: 'Reasoning' });
  await thought.getByText('Thought', { exact: true }).waitFor();
  const calls = answer(page).getByRole('article', { name: 'Tool call get_weather' });
  await expect.poll(() => calls.count()).toBe(2);
  const [left, right] = [(await calls.first().boundingBox())!, (await calls.last().boundingBox())!];
  expect(right.y, 'the second call is in the same line').toBe(left.y);
  expect(right.x).toBeGreaterThanOrEqual(left.x + left.width);

  const open = () => answer(page).locator('[aria-expanded=true]').count();
  expect(await open()).toBe(0);
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Space');
  await expect.poll(open).toBe(3);
  await calls.first().locator('pre').getByText('"Porto"').waitFor();
  await page.keyboard.press('Space');
  await expect.poll(open).toBe(0);
});

test('a thought that streamed into the page says how long it took, also when the page is loaded again', async () => {
  const { open, emulator, gate } = await startApp();
  emulator.script('anthropic-messages', {
    blocks: [
      { type: 'thinking', text: 'Let me see.' },
      { type: 'text', text: 'Seven.' },
    ],
    chunkDelay: 1,
  });
  const page = await open('/new');
  gate.shut();
  await page.getByRole('textbox', { name: 'Message' }).fill('How many?');
  await page.keyboard.press('Enter');
  await gate.pass(3);
  await page.getByText('Thinking', { exact: true }).waitFor();
  await page.clock.setSystemTime(Date.now() + 7000);
  gate.open();
  await answer(page).getByText('Seven.').waitFor();
  const thought = answer(page).getByText(/^Thought for \d+\.\d s$/);
  await thought.waitFor();
  await page.reload();
  await thought.waitFor();
});

test('a source is a numbered footnote that opens to its title and address, and a picture fills the screen, by keys', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const page = await open('/t/sample-tile');
  await enter(page, 'Source 1: example.org');
  const source = page.getByRole('dialog', { name: 'Source 1' });
  await source.getByText('Taking old tiles abroad').waitFor();
  expect(await source.getByRole('link').getAttribute('href')).toMatch(/^https:\/\/example\.org\//);
  await page.keyboard.press('Escape');
  await source.waitFor({ state: 'hidden' });

  await page.keyboard.press('Home');
  await enter(page, /^Enlarge: /);
  const picture = page.getByRole('dialog').getByRole('img');
  // It lies over the whole page, in the middle.
  const { x, width } = (await picture.boundingBox())!;
  expect(Math.abs(x + width / 2 - 700)).toBeLessThan(2);
  expect(await page.getByRole('dialog').boundingBox()).toEqual({ x: 0, y: 0, width: 1400, height: 900 });
  await page.keyboard.press('Escape');
  await picture.waitFor({ state: 'hidden' });
});

test('code is wrapped, downloaded and copied by keys', async () => {
  const { open, emulator } = await startApp();
  const code = `const wool = ${JSON.stringify('x'.repeat(300))};`;
  emulator.script('anthropic-messages', says(`Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n`));
  const page = await open('/new', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('textbox', { name: 'Message' }).fill('Code?');
  await page.keyboard.press('Enter');
  const source = answer(page).locator('pre');
  await source.waitFor();
  const isWide = () => source.evaluate((pre) => pre.scrollWidth > pre.clientWidth);
  expect(await isWide()).toBe(true);
  await enter(page, 'Wrap lines');
  await expect.poll(isWide).toBe(false);
  await enter(page, 'Copy code');
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(code);
  const [download] = await Promise.all([page.waitForEvent('download'), enter(page, 'Download')]);
  expect(download.suggestedFilename()).toMatch(/\.ts$/);
});

test('prose is set for reading, the two sides differ, and the facts of a message show where the pointer or the focus is', async () => {
  const { open, forest } = await startApp();
  const words = 'The loom stands by the window, where the light is even all day. '.repeat(8);
  const { id } = await forest.threads.begin([user('Where does it stand?'), assistant(words)]);
  const page = await open(`/t/${id}`);
  const text = answer(page).locator('.prose p');
  await text.waitFor();
  await page.evaluate('document.fonts.ready');
  const size = await text.evaluate((p) => Number.parseFloat(getComputedStyle(p).fontSize));
  expect(size).toBeGreaterThanOrEqual(15);
  expect(size).toBeLessThanOrEqual(16);
  const lines = await text.evaluate(
    (p) => p.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(p).lineHeight),
  );
  expect(words.length / lines, 'characters in a line').toBeGreaterThan(58);
  expect(words.length / lines, 'characters in a line').toBeLessThan(78);

  // What a person wrote is a bubble at the right; an answer begins at the left and has no background.
  const question = page.getByRole('article', { name: 'user message' });
  const places = [question.locator('.prose'), answer(page).locator('.prose')].map((one) => one.boundingBox());
  const [asked, answered] = await Promise.all(places);
  expect(asked!.x).toBeGreaterThan(answered!.x + 100);

  const opacity = () => question.locator('time').evaluate((one) => getComputedStyle(one.parentElement!).opacity);
  await expect.poll(opacity).toBe('0');
  await question.hover();
  await expect.poll(opacity).toBe('1');
  await answer(page).hover();
  await expect.poll(opacity).toBe('0');
  await question.getByRole('button', { name: 'Copy text' }).focus();
  await expect.poll(opacity).toBe('1');
});

test('the page brings its own font, so that every system looks the same', async () => {
  const { open, url } = await startApp();
  const page = await open('/');
  await page.getByRole('main').waitFor();
  await page.evaluate('document.fonts.ready');
  const fonts = await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('.woff2'))`,
  );
  expect(fonts).not.toEqual([]);
  for (const font of fonts as string[]) expect(font.startsWith(url), font).toBe(true);
  expect(await page.evaluate(`document.fonts.check('14px "Inter Variable"')`)).toBe(true);
});

/** Bytes of script, compressed. */
const MOST_SCRIPT = 250_000;

test.each(['/', '/new'])('%s loads at most 250 kB of script before it can be used', async (path) => {
  const { open } = await startApp();
  const page = await open(path);
  await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate('new Promise((resolve) => requestIdleCallback(resolve))');
  const scripts = (await page.evaluate(
    `performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))`,
  )) as readonly string[];
  const bodies = await Promise.all(scripts.map(async (script) => (await page.request.get(script)).body()));
  const sizes = bodies.map((body) => gzipSync(body).length);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST_SCRIPT);
});

test('tokens and cost of a message stand in one place', async () => {
  const app = await startApp({ generate: { random: () => 0, costOf } });
  app.emulator.script('anthropic-messages', { ...says('Tagus.'), usage: { input: 4000, cached: 0, output: 50 } });
  const page = await app.open('/new');
  await page.getByRole('textbox', { name: 'Message' }).fill('Name a river.');
  await page.keyboard.press('Enter');
  await answer(page).getByText('Tagus.').waitFor();
  const shown = answer(page).getByText(/tok|\$/);
  await shown.first().waitFor({ state: 'attached' });
  expect(await shown.count()).toBe(1);
  await expect.poll(() => shown.textContent()).toMatch(/4k tokens · \$0\.0\d+/);
});
