// The pictures themselves: a server on a forest in memory, the emulator behind it, Chromium in front of it.
import { loadConfig } from '@skein/agents';
import { startEmulator } from '@skein/emulator';
import { openForest } from '@skein/forest';
import { createServer, seedSample } from '@skein/server';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';
import { root } from './setup.mjs';

/** @import { Page } from 'playwright-core' */

const SIZE = { width: 1400, height: 900 };

/** @param {string} folder */
export async function takePictures(folder) {
  const emulator = await startEmulator({ seed: 'pictures' });
  const forest = await openForest(':memory:');
  await seedSample(forest);
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const env = emulator.env();
  const page = `${root}packages/web/dist`;
  const model = 'anthropic/claude-sonnet-5';
  const server = await createServer({ forest, config, env, page, model }).listen({ port: 0 });
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' });
    await context.addInitScript(`localStorage.setItem('skein.view', '{"state":{"welcomed":true},"version":1}')`);
    const shown = await context.newPage();
    await compare(shown, server.url, forest, `${folder}/compare.png`);
    await raw(shown, server.url, forest, `${folder}/raw.png`);
    await conversation(shown, server.url, forest, `${folder}/conversation.png`);
    return ['conversation.png', 'compare.png', 'raw.png'];
  } finally {
    await browser.close();
    await emulator.close();
    await server.close();
    await forest.close();
  }
}

/**
 * @param {Page} page
 * @param {string} url
 * @param {import('@skein/forest').Forest} forest
 * @param {string} path
 */
async function conversation(page, url, forest, path) {
  const { answer } = await toolCall(forest);
  await page.goto(`${url}/c/${answer}`);
  await page.getByRole('tab', { name: 'Tree' }).click();
  await settled(page);
  await page.screenshot({ path });
}

/**
 * @param {Page} page
 * @param {string} url
 * @param {import('@skein/forest').Forest} forest
 * @param {string} path
 */
async function compare(page, url, forest, path) {
  const { head } = await forest.threads.get('sample-debounce');
  const fork = (await forest.path(head)).find(({ childCount }) => childCount > 1);
  const { items } = await forest.children(fork?.id ?? 'root');
  await page.goto(`${url}/compare?nodes=${items.map(({ id }) => id).join()}`);
  await page.getByRole('region', { name: 'Branch 2' }).waitFor();
  await settled(page);
  await page.screenshot({ path });
}

/**
 * @param {Page} page
 * @param {string} url
 * @param {import('@skein/forest').Forest} forest
 * @param {string} path
 */
async function raw(page, url, forest, path) {
  const { answer } = await toolCall(forest);
  await page.goto(`${url}/c/${answer}`);
  await page.getByRole('tab', { name: 'Raw' }).click();
  await page.getByRole('button', { name: /^Pretty/ }).click();
  await settled(page);
  await page.screenshot({ path });
}

/**
 * The call of a tool in the sample, and what follows it.
 * @param {import('@skein/forest').Forest} forest
 */
async function toolCall(forest) {
  const { head } = await forest.threads.get('sample-lisbon');
  const path = await forest.path(head);
  const at = path.findIndex(({ message }) => message.content.some(({ type }) => type === 'tool-use'));
  return { answer: path[at]?.id ?? head, result: path[at + 1]?.id ?? head };
}

/**
 * Waits until everything that is loaded on demand has arrived.
 * @param {Page} page
 */
async function settled(page) {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(1500);
}
