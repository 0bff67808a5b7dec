// CPU time of the page's main thread in a real Chromium: the same work with much and with little around it, and lists against a
// plain virtual list of the same rows. Chromium counts the time of the thread, not of the clock.
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@skein/agents';
import { assistant, user } from '@skein/core';
import { openForest } from '@skein/forest';
import { createServer } from '@skein/server';
import { chromium } from 'playwright-core';
import { findChromium, howToInstall } from '../../scripts/chromium.mjs';

/** @import { CDPSession, Page } from 'playwright-core' */
/** @import { Forest } from '@skein/forest' */
/** @typedef {{ page: Page, cdp: CDPSession, url: string, thread: string, fork: string }} Side */

/**
 * The milliseconds of each round, of the floor and of the page, by the name of the work.
 * @param {{ rounds: number, many?: number, long?: number, nodes?: number }} options
 * @returns {Promise<Map<string, Map<string, number[]>>>}
 */
export async function measurePageCpu({ rounds, many = 5000, long = 2000, nodes = 100_000 }) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(howToInstall);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const small = await startWorld({ many: 10, long: 10, nodes: 100 });
  const large = await startWorld({ many, long, nodes });
  const open = async (/** @type {Awaited<ReturnType<typeof startWorld>>} */ world) => {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    return { page, cdp, ...world };
  };
  /** @type {Map<string, Map<string, number[]>>} */
  const times = new Map();
  /** @param {string} name @param {string} side @param {number} time */
  const note = (name, side, time) => {
    const sides = times.get(name) ?? new Map();
    times.set(name, sides.set(side, [...(sides.get(side) ?? []), time]));
  };
  try {
    const floor = await open(small);
    const skein = await open(large);
    for (let round = -1; round < rounds; round++)
      for (const [side, one] of /** @type {const} */ ([
        ['floor', floor],
        ['skein', skein],
      ]))
        for (const [name, act] of Object.entries(WORK)) {
          const time = await act(one, side === 'floor');
          if (round >= 0) note(name, side, time);
        }
    return times;
  } finally {
    await browser.close();
    await small.close();
    await large.close();
  }
}

/** @param {{ many: number, long: number, nodes: number }} size */
async function startWorld({ many, long, nodes }) {
  const forest = await openForest(':memory:');
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const page = fileURLToPath(new URL('../../packages/web/dist', import.meta.url));
  const options = { forest, config, env: { ANTHROPIC_API_KEY: 'none' }, page, model: 'anthropic/claude-sonnet-4-5' };
  const server = await createServer(options).listen({ port: 0 });
  for (let at = 0; at < many; at++) {
    const head = await forest.append('root', [user(`Question ${at}?`), assistant(`Answer ${at}.`)]);
    await forest.threads.create({ head, title: `Conversation ${at}` });
  }
  await grow(forest, nodes);
  const { head, fork } = await writeThread(forest, long);
  const { id } = await forest.threads.create({ head, title: 'The long one' });
  return {
    url: server.url,
    thread: id,
    fork,
    async close() {
      await server.close();
      await forest.close();
    },
  };
}

/** A tree for the graph: lines of ten messages. @param {Forest} forest @param {number} nodes */
async function grow(forest, nodes) {
  const top = await forest.append('root', [user('A large tree')]);
  for (let at = 0; at < nodes; at += 10)
    await forest.append(
      top,
      Array.from({ length: 10 }, (_, step) => (step % 2 === 0 ? assistant(`${at} ${step}`) : user(`${at} ${step}`))),
    );
}

const PROSE = 'Some **words** of an answer with `code` in it.\n\n- a point that is made\n- and one more\n';

/** A thread with two answers near its end. @param {Forest} forest @param {number} length */
async function writeThread(forest, length) {
  const turns = Array.from({ length }, (_, at) =>
    at % 2 === 0 ? user(`Question ${at}?`) : assistant(`${at}. ${PROSE}`),
  );
  const above = await forest.append('root', turns.slice(0, length - 3));
  await forest.append(above, [assistant('Another answer.')]);
  const fork = await forest.append(above, [assistant('The answer.')]);
  const head = await forest.append(fork, turns.slice(length - 2));
  return { head, fork };
}

/**
 * The work that is measured: the floor is the same work in a small forest, or a plain page.
 * @type {Record<string, (side: Side, isFloor: boolean) => Promise<number>>}
 */
const WORK = {
  'opening a conversation': async ({ page, cdp, url, thread }) => {
    await page.goto('about:blank');
    return spent(cdp, async () => {
      await page.goto(`${url}/t/${thread}`);
      await page.getByRole('textbox', { name: 'Message' }).waitFor();
      await page.getByRole('article').last().waitFor();
      await page.waitForTimeout(1500);
    });
  },
  typing: async ({ page, cdp }) => {
    await page.getByRole('textbox', { name: 'Message' }).fill('');
    return spent(cdp, () =>
      page.keyboard.type('words that are typed one letter after the other '.repeat(2), { delay: 5 }),
    );
  },
  'switching branches': async ({ page, cdp, url, fork }) => {
    await page.goto(`${url}/c/${fork}`);
    await page.getByText('The answer.').first().waitFor();
    await page.waitForTimeout(1000);
    return spent(cdp, async () => {
      for (let at = 0; at < 6; at++) {
        await page.keyboard.press(at % 2 === 0 ? 'Alt+ArrowUp' : 'Alt+ArrowDown');
        await page
          .getByRole('region', { name: 'Messages' })
          .or(page.getByLabel('Messages'))
          .getByText(at % 2 === 0 ? 'Another answer.' : 'The answer.')
          .first()
          .waitFor();
      }
    });
  },
  'scrolling the list, per frame': ({ page, cdp, url }, isFloor) =>
    scroll(page, cdp, { address: `${url}/`, rows: '[data-thread]', by: 120, isFloor }),
  'scrolling the conversation, per frame': ({ page, cdp, url, thread }, isFloor) =>
    scroll(page, cdp, { address: `${url}/t/${thread}`, rows: '[data-node]:has(article)', by: -120, isFloor }),
  'dragging the graph, per frame': async ({ page, cdp, url }) => {
    await page.goto(`${url}/graph`);
    await page.getByRole('button', { name: /fit/i }).first().waitFor();
    await page.waitForTimeout(3000);
    return perFrame(page, cdp, async () => {
      await page.mouse.move(900, 500);
      await page.mouse.down();
      for (let at = 0; at < 40; at++) {
        await page.mouse.move(900 - at * 10, 500 + at * 4);
        await page.waitForTimeout(16);
      }
      await page.mouse.up();
    });
  },
};

/**
 * Scrolls a screen of the page there and back, or a plain virtual list that draws the same rows and nothing else: their markup and
 * the stylesheet are taken from the page, so that both draw the same.
 * @param {Page} page
 * @param {CDPSession} cdp
 * @param {{ address: string, rows: string, by: number, isFloor: boolean }} what
 */
async function scroll(page, cdp, { address, rows, by, isFloor }) {
  await page.goto(address);
  await page.locator(rows).last().waitFor();
  await page.waitForTimeout(1500);
  if (isFloor) {
    const taken = await page.evaluate(takeRows, rows);
    await page.goto('about:blank');
    await page.setContent(`<!doctype html><style>${taken.style}</style><div id="list"></div>`);
    await page.evaluate(drawPlainList, { ...taken, count: 5000, isAtEnd: by < 0 });
    await page.waitForTimeout(500);
  }
  await page.mouse.move(700, 500);
  return perFrame(page, cdp, async () => {
    for (let at = 0; at < 80; at++) {
      await page.mouse.wheel(0, at < 40 ? by : -by);
      await page.waitForTimeout(16);
    }
  });
}

/** Runs in the page. @param {string} selector */
function takeRows(selector) {
  const { document } = /** @type {any} */ (globalThis);
  const found = [...document.querySelectorAll(selector)];
  const heights = found.map((row) => row.getBoundingClientRect().height);
  return {
    rows: found.map((row) => row.outerHTML),
    height: Math.round(heights.reduce((sum, height) => sum + height, 0) / heights.length),
    style: [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join('\n'),
  };
}

/**
 * Runs in the page.
 * @param {{ rows: string[], height: number, count: number, isAtEnd: boolean }} options
 */
function drawPlainList({ rows, height, count, isAtEnd }) {
  const { document, innerHeight } = /** @type {any} */ (globalThis);
  const list = document.getElementById('list');
  list.style.cssText = 'height: 100vh; overflow: auto';
  const all = list.appendChild(document.createElement('div'));
  all.style.cssText = `position: relative; height: ${count * height}px`;
  /** @type {Map<number, any>} */
  const shown = new Map();
  const draw = () => {
    const from = Math.max(0, Math.floor(list.scrollTop / height) - 4);
    const to = Math.min(count, from + Math.ceil(innerHeight / height) + 8);
    for (const [at, row] of shown)
      if (at < from || at >= to) {
        row.remove();
        shown.delete(at);
      }
    for (let at = from; at < to; at++)
      if (!shown.has(at)) {
        const row = document.createElement('div');
        row.style.cssText = `position: absolute; left: 0; right: 0; top: ${at * height}px; height: ${height}px`;
        row.innerHTML = rows[at % rows.length] ?? '';
        shown.set(at, all.appendChild(row));
      }
  };
  list.addEventListener('scroll', draw, { passive: true });
  draw();
  if (isAtEnd) list.scrollTop = count * height;
}

/** Milliseconds of the main thread for what is done. @param {CDPSession} cdp @param {() => Promise<unknown>} act */
async function spent(cdp, act) {
  const before = await taskTime(cdp);
  await act();
  return (await taskTime(cdp)) - before;
}

/** @param {Page} page @param {CDPSession} cdp @param {() => Promise<unknown>} act */
async function perFrame(page, cdp, act) {
  await page.evaluate(
    'window.count_ = 0; window.on_ = true; (function next() { count_ += 1; if (on_) requestAnimationFrame(next); })()',
  );
  const time = await spent(cdp, act);
  return time / Number(await page.evaluate('on_ = false; count_'));
}

/** @param {CDPSession} cdp */
async function taskTime(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}
