// The pictures themselves: a server on a forest in memory, the emulator behind it, Chromium in front of it.
import { loadConfig } from '@skein/agents';
import { says, startEmulator } from '@skein/emulator';
import { openForest } from '@skein/forest';
import { createServer, seedSample } from '@skein/server';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';
import { root } from './setup.mjs';

/** @import { Page } from 'playwright-core' */

const SIZE = { width: 1400, height: 900 };
const QUESTION = 'And if it rains on the third day, too?';
const ANSWER = `Then stay under one roof that is large enough to walk in:

- **Estufa Fria**, a glasshouse with benches between the ferns
- **LX Factory**, for the bookshop with the flying bicycle

Both are a short ride away. I would take the second novel, because`;

/** @param {string} folder */
export async function takePictures(folder) {
  let isHalfWay = false;
  // The stream stops where the picture is taken.
  const sleep = () => new Promise((resolve) => (isHalfWay ? undefined : setTimeout(resolve, 1)));
  const emulator = await startEmulator({ seed: 'pictures', sleep });
  const forest = await openForest(':memory:');
  await seedSample(forest);
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const env = { ANTHROPIC_API_KEY: 'demo', ANTHROPIC_BASE_URL: emulator.baseUrl('anthropic-messages') };
  const page = `${root}packages/web/dist`;
  const model = 'anthropic/claude-sonnet-4-5';
  const server = await createServer({ forest, config, env, page, model }).listen({ port: 0 });
  const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ viewport: SIZE, colorScheme: 'light', reducedMotion: 'reduce' });
    await context.addInitScript(`localStorage.setItem('skein.view', '{"state":{"welcomed":true},"version":1}')`);
    const shown = await context.newPage();
    await compare(shown, server.url, forest, `${folder}/compare.png`);
    await raw(shown, server.url, forest, `${folder}/raw.png`);
    emulator.script('anthropic-messages', says(`${ANSWER} …`, { pieces: ANSWER.length, chunkDelay: 1 }));
    await conversation(shown, server.url, forest, `${folder}/conversation.png`, () => {
      isHalfWay = true;
    });
    return ['conversation.png', 'compare.png', 'raw.png'];
  } finally {
    await browser.close();
    await emulator.close();
    await server.close();
    await forest.close();
  }
}

/**
 * A fork, a folded thought, an open tool call, an answer on its way, and the tree beside it.
 * @param {Page} page
 * @param {string} url
 * @param {import('@skein/forest').Forest} forest
 * @param {string} path
 * @param {() => void} hold
 */
async function conversation(page, url, forest, path, hold) {
  const called = await toolCall(forest);
  await page.goto(`${url}/c/${called.result}`);
  await page.getByRole('textbox', { name: 'Message' }).fill(QUESTION);
  await page.keyboard.press('Control+Enter');
  await page.getByRole('article', { name: 'growing message' }).getByText('because').waitFor();
  hold();
  await page
    .getByRole('article', { name: /Tool call/ })
    .first()
    .getByRole('button')
    .first()
    .click();
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
  return { answer: path[at]?.id ?? head, result: path[at + 2]?.id ?? head };
}

/**
 * Everything that is loaded on demand has come.
 * @param {Page} page
 */
async function settled(page) {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(1500);
}
