// `npm run pictures -- --all [folder]`: every screen and state in both themes and three widths, to look at.
import { mkdirSync } from 'node:fs';
import { loadConfig } from '@skein/agents';
import { costOf } from '@skein/core/prices';
import { says, startEmulator } from '@skein/emulator';
import { openForest } from '@skein/forest';
import { createServer, seedSample } from '@skein/server';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';
import { root } from './setup.mjs';

/** @import { Page } from 'playwright-core' */

const THEMES = /** @type {const} */ (['light', 'dark']);
const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

/**
 * A screen in one state: its address, and what is done there.
 * @typedef {{ name: string, path: string, act?: (page: Page) => Promise<unknown> }} State
 */

/**
 * @param {string} folder
 * @param {string} [only] a part of the names of the states to take
 */
export async function takeAllPictures(folder, only = '') {
  mkdirSync(folder, { recursive: true });
  const emulator = await startEmulator({ seed: 'all-pictures' });
  const forest = await openForest(':memory:');
  const empty = await openForest(':memory:');
  await seedSample(forest);
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const options = {
    config,
    env: emulator.env(),
    page: `${root}packages/web/dist`,
    model: 'anthropic/claude-sonnet-4-5',
  };
  const server = await createServer({ ...options, forest, generate: { costOf }, problems: [PROBLEM] }).listen({
    port: 0,
  });
  const bare = await createServer({ ...options, forest: empty }).listen({ port: 0 });
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
  /** @type {string[]} */
  const names = [];
  try {
    await record(server.url, emulator);
    const states = await listStates(forest, server.url, bare.url);
    for (const colorScheme of THEMES)
      for (const viewport of SIZES) {
        const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
        const page = await context.newPage();
        page.setDefaultTimeout(15_000);
        for (const { name, path, act } of states.filter((state) => state.name.includes(only))) {
          await page.goto(path);
          await page.evaluate(`localStorage.setItem('skein.view', '{"state":{"welcomed":true},"version":1}')`);
          if (!name.startsWith('welcome')) await page.reload();
          await page.getByRole('main').waitFor();
          const file = `${name}-${viewport.width}-${colorScheme}.png`;
          await act?.(page).catch((/** @type {Error} */ error) =>
            console.log(`${file}: ${error.message.split('\n')[0]}`),
          );
          await page.waitForTimeout(700);
          await page.screenshot({ path: `${folder}/${file}` });
          names.push(file);
        }
        await context.close();
      }
    return names;
  } finally {
    await browser.close();
    await server.close();
    await bare.close();
    await emulator.close();
    await forest.close();
    await empty.close();
  }
}

const PROBLEM = /** @type {const} */ ({
  severity: 'error',
  code: 'wrong-type',
  file: '/home/you/agents/bad.yaml',
  line: 3,
  key: 'model',
  message: 'It has to be a text.',
  fix: 'Write it as provider/model.',
});

/**
 * Calls of two sessions through the proxy: parallel ones, one that fails, one from the cache.
 * @param {string} url
 * @param {import('@skein/emulator').Emulator} emulator
 */
async function record(url, emulator) {
  /** @param {string} content @param {string} session */
  const call = (content, session) =>
    fetch(`${url}/proxy/anthropic/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': emulator.env().ANTHROPIC_API_KEY ?? '',
        'anthropic-version': '2023-06-01',
        'user-agent': 'weather-bot/1.2',
        'x-skein-tags': 'nightly',
        'x-claude-code-session-id': session,
      },
      body: JSON.stringify({
        model: 'claude-sonnet-4-5',
        max_tokens: 500,
        messages: [{ role: 'user', content }],
      }),
    }).then((response) => response.text());
  const answer = (/** @type {string} */ text) => ({ ...says(text), usage: { input: 3600, cached: 2700, output: 120 } });
  emulator.script('anthropic-messages', [
    answer('Nineteen degrees and a light wind from the **north**.'),
    answer('Rain in the evening.'),
    answer('Sunny.'),
    { error: { status: 529, message: 'Overloaded' } },
  ]);
  await call('What is the weather in Porto this afternoon, and what should I wear?', 'one');
  await Promise.all([call('And in Lisbon tonight?', 'one'), call('And in Faro tomorrow?', 'one')]);
  await call('Summarise the week for the newsletter.', 'two');
}

/**
 * @param {import('@skein/forest').Forest} forest
 * @param {string} url
 * @param {string} bare the address of a server without conversations
 * @returns {Promise<State[]>}
 */
async function listStates(forest, url, bare) {
  const { head } = await forest.threads.get('sample-debounce');
  const fork = (await forest.path(head)).find(({ childCount }) => childCount > 1);
  const nodes = (await forest.children(fork?.id ?? 'root')).items.map(({ id }) => id).join();
  const firstCall = (/** @type {Page} */ page) =>
    page
      .getByRole('link', { name: /weather in Porto/ })
      .first()
      .click();
  return [
    { name: 'welcome', path: `${bare}/` },
    { name: 'forest', path: `${url}/` },
    { name: 'forest-search', path: `${url}/?q=Lisbon` },
    { name: 'new', path: `${url}/new` },
    { name: 'conversation', path: `${url}/t/sample-lisbon` },
    { name: 'conversation-media', path: `${url}/t/sample-tile` },
    { name: 'conversation-missing', path: `${url}/t/nothing` },
    { name: 'graph', path: `${url}/graph` },
    { name: 'compare', path: `${url}/compare?nodes=${nodes}` },
    {
      name: 'compare-source',
      path: `${url}/compare?nodes=${nodes}`,
      act: (page) => page.getByRole('button', { name: 'Source' }).click(),
    },
    {
      name: 'compare-models',
      path: `${url}/compare?nodes=${nodes}`,
      act: (page) => page.getByRole('button', { name: 'Models', exact: true }).click(),
    },
    { name: 'compare-empty', path: `${url}/compare` },
    { name: 'recordings', path: `${url}/recordings` },
    { name: 'recordings-empty', path: `${bare}/recordings` },
    { name: 'recordings-none-fits', path: `${url}/recordings?text=nothing-like-this` },
    { name: 'recording', path: `${url}/recordings`, act: firstCall },
    {
      name: 'recording-pretty',
      path: `${url}/recordings`,
      act: async (page) => {
        await firstCall(page);
        await page.getByRole('tab', { name: 'Response' }).click();
        await page.getByRole('button', { name: 'Pretty' }).click();
      },
    },
    {
      name: 'recordings-session',
      path: `${url}/recordings`,
      act: (page) =>
        page
          .getByRole('link', { name: /^Show session/ })
          .last()
          .click(),
    },
    {
      name: 'recordings-connect',
      path: `${url}/recordings`,
      act: (page) => page.getByRole('button', { name: 'Connect a client' }).click(),
    },
    { name: 'usage', path: `${url}/usage` },
    { name: 'usage-app', path: `${url}/usage?by=app&days=7`, act: (page) => page.getByText('Show as a table').click() },
    { name: 'usage-empty', path: `${bare}/usage` },
    { name: 'settings', path: `${url}/settings` },
    {
      name: 'settings-keys',
      path: `${url}/settings#keys`,
      act: (page) => page.getByRole('region', { name: 'Keys', exact: true }).scrollIntoViewIfNeeded(),
    },
    { name: 'palette', path: `${url}/`, act: (page) => page.keyboard.press('Control+k') },
    { name: 'help', path: `${url}/`, act: (page) => page.keyboard.press('?') },
    { name: 'nowhere', path: `${url}/no/such/place` },
  ];
}
