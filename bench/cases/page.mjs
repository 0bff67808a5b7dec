// Frames of the page in a real Chromium: a large graph that is dragged, a long thread that is scrolled, a fast stream,
// and how long a switch to a sibling takes. The floor is a blank page that draws in the same browser.
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@skein/agents';
import { assistant, user } from '@skein/core';
import { startEmulator } from '@skein/emulator';
import { openForest } from '@skein/forest';
import { createServer } from '@skein/server';
import { chromium } from 'playwright-core';
import { findChromium, howToInstall } from '../../scripts/chromium.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { Forest } from '@skein/forest' */
/** @typedef {{ name: string, frames: number, median: number, p95: number, under: number }} Frames */

/** A longer frame is visible as a jerk, in milliseconds. */
export const SMOOTH_MS = 32;

/** A longer switch feels like waiting, in milliseconds. */
export const SWITCH_MS = 100;

/**
 * @returns {Promise<{ frames: Frames[], switches: number[] }>} switches in milliseconds
 */
export async function measurePage() {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(howToInstall);
  const emulator = await startEmulator();
  const forest = await openForest(':memory:');
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const env = emulator.env();
  const page = fileURLToPath(new URL('../../packages/web/dist', import.meta.url));
  const model = 'anthropic/claude-sonnet-4-5';
  const server = await createServer({ forest, config, env, page, model }).listen({ port: 0 });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const thread = await plantThread(forest, 1000);
    await plantTree(forest, 10_000);
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const shown = await context.newPage();
    const frames = [
      await blank(shown),
      await scrolled(shown, server.url, thread.head),
      await streamed(shown, server.url, emulator),
      await dragged(shown, server.url),
    ];
    return { frames, switches: await switched(shown, server.url, thread.fork) };
  } finally {
    await browser.close();
    await server.close();
    await forest.close();
    await emulator.close();
  }
}

const PROSE = `Some **words** of an answer with \`code\` in it.

- a point that is made
- and one more of about the same length

\`\`\`ts
export const answer = (question: string) => question.length * 42;
\`\`\`
`;

/**
 * A thread with two answers in the middle of it.
 * @param {Forest} forest
 * @param {number} length
 */
async function plantThread(forest, length) {
  const turns = Array.from({ length }, (_, at) =>
    at % 2 === 0 ? user(`Question ${at}: what follows from that?`) : assistant(`Answer ${at}. ${PROSE}`),
  );
  const half = await forest.append('root', turns.slice(0, length / 2 - 1));
  const fork = await forest.append(half, [turns[length / 2 - 1] ?? user('')]);
  await forest.append(half, [assistant(`Another answer. ${PROSE}`)]);
  const head = await forest.append(fork, turns.slice(length / 2));
  await forest.threads.create({ head, title: 'A long thread' });
  return { head, fork };
}

/**
 * Branches at random places, the same in every run.
 * @param {Forest} forest
 * @param {number} size
 */
async function plantTree(forest, size) {
  let state = 1;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const ends = ['root'];
  for (let made = 0; made < size; ) {
    const from = ends[Math.floor(random() * ends.length)] ?? 'root';
    const count = 1 + Math.floor(random() * 8);
    const texts = Array.from({ length: count }, (_, at) =>
      at % 2 === 0 ? user(`${made} ${at}`) : assistant(`${made} ${at}`),
    );
    ends.push(await forest.append(from, texts));
    made += count;
  }
}

/** @param {Page} page */
async function blank(page) {
  await page.goto('about:blank');
  return frames(page, 'blank page', () => page.waitForTimeout(3000));
}

/**
 * @param {Page} page
 * @param {string} url
 * @param {string} head
 */
async function scrolled(page, url, head) {
  await page.goto(`${url}/c/${head}`);
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page.waitForTimeout(1000);
  await page.mouse.move(600, 400);
  return frames(page, 'thread of 1,000 messages, scrolled', async () => {
    for (let at = 0; at < 120; at++) {
      await page.mouse.wheel(0, at < 60 ? -150 : 150);
      await page.waitForTimeout(16);
    }
  });
}

/**
 * @param {Page} page
 * @param {string} url
 * @param {import('@skein/emulator').Emulator} emulator
 */
async function streamed(page, url, emulator) {
  // 800 pieces of about four letters, five milliseconds apart: 200 tokens a second.
  const text = `${PROSE}\n`.repeat(20).slice(0, 3200);
  emulator.script('anthropic-messages', { blocks: [{ type: 'text', text }], pieces: 4, chunkDelay: 5 });
  await page.goto(`${url}/new`);
  await page.getByRole('textbox', { name: 'Message' }).fill('Go on for a while.');
  return frames(page, 'a stream of 200 tokens a second', async () => {
    await page.keyboard.press('Control+Enter');
    await page.waitForTimeout(5000);
  });
}

/**
 * @param {Page} page
 * @param {string} url
 */
async function dragged(page, url) {
  await page.goto(`${url}/graph`);
  await page.getByRole('button', { name: /fit/i }).first().waitFor();
  await page.waitForTimeout(3000);
  return frames(page, 'graph of 10,000 nodes, dragged', async () => {
    for (let round = 0; round < 4; round++) {
      await page.mouse.move(900, 500);
      await page.mouse.down();
      for (let at = 0; at < 30; at++) {
        await page.mouse.move(900 - at * 15, 500 + (round % 2 === 0 ? at : -at) * 8);
        await page.waitForTimeout(16);
      }
      await page.mouse.up();
    }
  });
}

/**
 * How long until the sibling is on screen, in milliseconds.
 * @param {Page} page
 * @param {string} url
 * @param {string} fork
 */
async function switched(page, url, fork) {
  await page.goto(`${url}/c/${fork}`);
  await page
    .getByText(/Answer 499\./)
    .first()
    .waitFor();
  const times = [];
  for (const [keys, text] of Array.from({ length: 10 }, (_, at) =>
    at % 2 === 0 ? ['Alt+ArrowDown', 'Another answer.'] : ['Alt+ArrowUp', 'Answer 499.'],
  )) {
    await page.evaluate(`window.timed_ = { promise: new Promise((resolve) => {
      window.addEventListener('keydown', () => {
        const start = performance.now();
        const look = () => document.querySelector('[aria-label="Messages"]').innerText.includes(${JSON.stringify(text)})
          ? resolve(performance.now() - start)
          : requestAnimationFrame(look);
        look();
      }, { once: true, capture: true });
    }) }; undefined`);
    await page.keyboard.press(keys ?? '');
    times.push(Number(await page.evaluate('window.timed_.promise')));
  }
  return times;
}

/**
 * @param {Page} page
 * @param {string} name
 * @param {() => Promise<unknown>} act
 * @returns {Promise<Frames>}
 */
async function frames(page, name, act) {
  await page.evaluate(`
    window.frames_ = [];
    window.sampling_ = true;
    let last = performance.now();
    const next = (now) => { window.frames_.push(now - last); last = now; if (window.sampling_) requestAnimationFrame(next); };
    requestAnimationFrame(next);
  `);
  await act();
  /** @type {number[]} */
  const all = await page.evaluate('window.sampling_ = false; window.frames_.slice(2)');
  const sorted = all.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ share) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  const under = sorted.filter((time) => time < SMOOTH_MS).length / sorted.length;
  return { name, frames: sorted.length, median: at(0.5), p95: at(0.95), under };
}
