// A stream of 200 tokens a second into a conversation of the page, and the same stream into an empty page that shares nothing with
// it: the CPU time of the main thread for a token, the longest task, and the frames. Chromium counts the time of the thread, not of
// the clock, so other programs on the machine make no task longer.
import { fileURLToPath } from 'node:url';
import { loadConfig } from '@skein/agents';
import { assistant, user } from '@skein/core';
import { startEmulator } from '@skein/emulator';
import { openForest } from '@skein/forest';
import { createServer } from '@skein/server';
import { chromium } from 'playwright-core';
import { findChromium, howToInstall } from '../../scripts/chromium.mjs';

/** @import { Browser, CDPSession, Page } from 'playwright-core' */
/** @import { Forest } from '@skein/forest' */
/** @typedef {{ perToken: number, longest: number, long: number, under: number, rate: number }} Stream */
/** @typedef {{ browser: Browser, page: Page, cdp: CDPSession, forest: Forest, script: () => void }} Stage */

/** A longer task is a long task, in milliseconds, as browsers report them. */
export const LONG_TASK_MS = 50;

const FIRST = 'It begins here.';
const LAST = 'It ends here.';

const lines = (/** @type {number} */ count, /** @type {(at: number) => string} */ line) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

/** An answer with everything that is costly to draw while it grows: long lists, tables, code and formulas. */
const ANSWER = `${FIRST}

${'Some **words** of an answer with `code`, a [link](https://example.com) and a formula $a_1^2 + b$ in it. '.repeat(6)}

${lines(40, (at) => `- point ${at} that is **made** with \`code\`\n`)}
\`\`\`ts
${lines(40, (at) => `export const answer${at} = (question: string) => question.length * ${at};\n`)}\`\`\`

$$\\sum_{k=1}^{n} k^2 = \\frac{n(n+1)(2n+1)}{6}$$

| name | value | note |
|---|--:|---|
${lines(30, (at) => `| row ${at} | ${at * 7} | some \`words\` |\n`)}
${lines(20, (at) => `${at + 1}. step ${at}\n\n   with a paragraph of its own\n\n`)}
${LAST}
`;

const DIST = fileURLToPath(new URL('../../packages/web/dist', import.meta.url));

/** Of about four letters each. */
const TOKENS = Math.ceil(ANSWER.length / 4);

/**
 * @param {{ rounds: number, folder?: string }} options of the built page: another one shows what a change gained
 * @returns {Promise<{ floor: Stream[], skein: Stream[] }>}
 */
export async function measurePageStream({ rounds, folder = DIST }) {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(howToInstall);
  const emulator = await startEmulator();
  const forest = await openForest(':memory:');
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const model = 'anthropic/claude-sonnet-4-5';
  const server = await createServer({ forest, config, env: emulator.env(), page: folder, model }).listen({ port: 0 });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  /** @type {{ floor: Stream[], skein: Stream[] }} */
  const measured = { floor: [], skein: [] };
  try {
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    const script = () =>
      emulator.script('anthropic-messages', { blocks: [{ type: 'text', text: ANSWER }], pieces: 4, chunkDelay: 5 });
    const stage = { browser, page, cdp, forest, script };
    for (let round = 0; round < rounds; round++) {
      // Each has a conversation of its own, in which nothing has been answered yet.
      const [asked, open] = await Promise.all(['floor', 'skein'].map((side) => begin(forest, `${side} ${round}`)));
      if (!asked || !open) throw new Error('No conversation was begun.');
      measured.floor.push(await intoEmptyPage(stage, server.url, { node: asked.head, thread: asked.id, model }));
      measured.skein.push(await intoConversation(stage, server.url, open.id));
    }
    return measured;
  } finally {
    await browser.close();
    await server.close();
    await forest.close();
    await emulator.close();
  }
}

/** A conversation of fifty turns, so that the screen is full. @param {Forest} forest @param {string} title */
async function begin(forest, title) {
  const turns = Array.from({ length: 50 }, (_, at) => [
    user(`Question ${at} of ${title}?`),
    assistant(`Answer ${at}. Some **words** of it.\n\n- a point\n- another\n`),
  ]);
  return forest.threads.begin([...turns.flat(), user('Go on for a while.')], { title });
}

/** @param {Stage} stage @param {string} url @param {string} thread */
async function intoConversation(stage, url, thread) {
  const { page, script } = stage;
  await page.goto(`${url}/t/${thread}`);
  await page.getByRole('textbox', { name: 'Message' }).fill('Once more.');
  await page.waitForTimeout(1500);
  return measureStream(stage, thread, async () => {
    script();
    await page.keyboard.press('Control+Enter');
  });
}

/**
 * About the least that a page can do: it appends the text as it arrives, once in a frame, and scrolls to its end.
 * @param {Stage} stage
 * @param {string} url
 * @param {{ node: string, thread: string, model: string }} question
 */
async function intoEmptyPage(stage, url, question) {
  const { page, script } = stage;
  await page.route(`${url}/empty`, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><main style="white-space: pre-wrap"></main>' }),
  );
  await page.goto(`${url}/empty`);
  await page.waitForTimeout(500);
  return measureStream(stage, question.thread, async () => {
    script();
    await page.evaluate(showStream, question);
  });
}

/** Runs in the page. @param {{ node: string, thread: string, model: string }} question */
async function showStream(question) {
  const { document, fetch, EventSource, requestAnimationFrame, scrollTo } = /** @type {any} */ (globalThis);
  const asked = await fetch('/api/v1/generations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  const { id } = await asked.json();
  const events = new EventSource(`/api/v1/generations/${id}/events`);
  const shown = document.querySelector('main').appendChild(document.createTextNode(''));
  let waiting = '';
  events.addEventListener('text', (/** @type {{ data: string }} */ { data }) => {
    if (waiting === '')
      requestAnimationFrame(() => {
        shown.appendData(waiting);
        waiting = '';
        scrollTo(0, document.documentElement.scrollHeight);
      });
    waiting += JSON.parse(data).text;
  });
  events.addEventListener('end', () => events.close());
}

/**
 * From the first words on screen until a moment after the last.
 * @param {Stage} stage
 * @param {string} thread
 * @param {() => Promise<void>} start
 * @returns {Promise<Stream>}
 */
async function measureStream({ browser, page, cdp, forest }, thread, start) {
  await start();
  await page.getByText(FIRST).last().waitFor({ timeout: 60_000 });
  await browser.startTracing(page, { categories: ['toplevel'] });
  await page.evaluate(`window.frames_ = []; window.sampling_ = true; window.last_ = performance.now();
    requestAnimationFrame(function next(now) { frames_.push(now - last_); last_ = now; sampling_ && requestAnimationFrame(next); });`);
  const before = await taskTime(cdp);
  const began = performance.now();
  // Looking for it in the page would cost the thread that is measured.
  while (!(await isAnswered(forest, thread))) await new Promise((resolve) => setTimeout(resolve, 50));
  const seconds = (performance.now() - began) / 1000;
  await page.waitForTimeout(700);
  const time = (await taskTime(cdp)) - before;
  /** @type {number[]} */
  const frames = await page.evaluate('sampling_ = false; frames_.slice(2)');
  const tasks = listTasks(String(await browser.stopTracing()));
  return {
    perToken: time / TOKENS,
    longest: Math.max(0, ...tasks),
    long: tasks.filter((ms) => ms > LONG_TASK_MS).length,
    under: frames.filter((ms) => ms < 32).length / frames.length,
    rate: TOKENS / seconds,
  };
}

/** @param {Forest} forest @param {string} thread */
async function isAnswered(forest, thread) {
  const { head } = await forest.threads.get(thread);
  return (await forest.node(head)).message.text.includes(LAST);
}

/** The CPU milliseconds of each task of the page's main thread. @param {string} trace */
function listTasks(trace) {
  /** @type {{ name: string, ph: string, pid: number, tid: number, tdur?: number, args: { name?: string } }[]} */
  const events = JSON.parse(trace).traceEvents;
  const main = new Set(
    events.flatMap(({ name, args, pid, tid }) =>
      name === 'thread_name' && args.name === 'CrRendererMain' ? [`${pid} ${tid}`] : [],
    ),
  );
  return events.flatMap(({ name, ph, pid, tid, tdur = 0 }) =>
    ph === 'X' && name === 'ThreadControllerImpl::RunTask' && main.has(`${pid} ${tid}`) ? [tdur / 1000] : [],
  );
}

/** @param {CDPSession} cdp */
async function taskTime(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}
