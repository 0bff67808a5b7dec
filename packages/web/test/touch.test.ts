/** With a finger: everything that is longer than a phone is moved by it, and the graph by one finger or two. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, messages, program, startApp } from './kit.ts';

inChromium();

const PHONE = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: 'reduce',
} as const;

interface Swipe {
  readonly x?: number;
  readonly y?: number;
}

/** Draws fingers over the screen, from where each begins; they rest at the end, so that nothing is thrown. */
async function drag(page: Page, fingers: readonly Required<Swipe>[], by: readonly Required<Swipe>[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const steps = 12;
  const at = (step: number) =>
    fingers.map(({ x, y }, id) => ({ id, x: x + (by[id]!.x * step) / steps, y: y + (by[id]!.y * step) / steps }));
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
  for (let step = 1; step <= steps + 3; step++) {
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(Math.min(step, steps)) });
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
  await page.waitForTimeout(100);
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await session.detach();
}

/** Draws a finger over the middle of what is seen of an element. */
async function swipe(page: Page, target: Locator, { x = 0, y = 0 }: Swipe): Promise<void> {
  const box = (await target.boundingBox())!;
  const { width, height } = page.viewportSize()!;
  const middle = {
    x: (Math.max(0, box.x) + Math.min(width, box.x + box.width)) / 2,
    y: (Math.max(0, box.y) + Math.min(height, box.y + box.height)) / 2,
  };
  await drag(page, [middle], [{ x, y }]);
}

/** How far the nearest part that can scroll is scrolled. */
const scrolled = (target: Locator) =>
  target.evaluate((element) => {
    for (let one: Element | null = element; one; one = one.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(one);
      const isHigh = one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(overflowY);
      const isWide = one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(overflowX);
      if (isHigh || isWide) return { x: Math.round(one.scrollLeft), y: Math.round(one.scrollTop) };
    }
    return undefined;
  });

async function expectMoves(page: Page, target: Locator, by: Swipe, what: string): Promise<void> {
  const before = await scrolled(target);
  expect(before, `${what} can be scrolled`).toBeDefined();
  await swipe(page, target, by);
  if (by.y)
    await expect
      .poll(async () => Math.sign((await scrolled(target))!.y - before!.y), { message: what })
      .toBe(-Math.sign(by.y));
  if (by.x)
    await expect
      .poll(async () => Math.sign((await scrolled(target))!.x - before!.x), { message: what })
      .toBe(-Math.sign(by.x));
}

test('lists, the conversation, code, tables and sheets are scrolled by a finger', async () => {
  const app = await startApp();
  const { open, forest } = app;
  for (let at = 0; at < 60; at++) await forest.threads.begin([user(`On ${at}`)], { title: `Talk ${at}` });
  const long = `const wool = ${JSON.stringify('x'.repeat(300))};`;
  const table = `| ${'A long column | '.repeat(12)}\n| ${'--- | '.repeat(12)}\n| ${'A long value | '.repeat(12)}`;
  const turns = Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0 ? user(`Question ${at}`) : assistant('Yes. '.repeat(80)),
  );
  const { id, head } = await forest.threads.begin(
    [...turns, user('Show me.'), assistant(`\`\`\`ts\n${long}\n\`\`\`\n\n${table}\n`)],
    { title: 'Long' },
  );
  const path = await forest.path(head);
  for (let at = 0; at < 40; at++) await forest.append(path[at]!.id, [user(`Another ${at}`)]);
  const page = await open('/', PHONE);
  const main = page.getByRole('main');
  await main.getByRole('link', { name: 'Talk 59', exact: true }).waitFor();
  await expectMoves(page, main.getByRole('list').last(), { y: -500 }, 'the list');
  await page.getByRole('button', { name: 'Show the forest' }).tap();
  const drawer = page.getByRole('dialog', { name: 'Forest' });
  await drawer.getByRole('link', { name: 'Talk 50', exact: true }).waitFor();
  await expectMoves(
    page,
    drawer.getByRole('link', { name: 'Talk 52', exact: true }),
    { y: -400 },
    'the list at the side',
  );
  await drawer.waitFor();

  await page.goto(new URL(`/t/${id}`, page.url()).href);
  const answer = messages(page, 'assistant').last();
  const code = answer.getByRole('figure', { name: 'Code: ts' }).locator('pre');
  await code.waitFor();
  await expectMoves(page, code, { x: -200 }, 'code');
  await expectMoves(page, answer.locator('table'), { x: -200 }, 'a table');
  const question = messages(page, 'user').last();
  await expectMoves(page, question, { y: 400 }, 'the conversation');

  await page.getByRole('button', { name: 'Show the tree and details' }).tap();
  const sheet = page.getByRole('dialog', { name: 'Tree and details' });
  await sheet.getByRole('treeitem').first().waitFor();
  await expectMoves(page, sheet.getByRole('treeitem').nth(8), { y: 300 }, 'the tree');
  await sheet.getByRole('tab', { name: 'Raw' }).tap();
  await sheet.getByRole('region', { name: 'Stored text' }).waitFor();
  await sheet.getByRole('button', { name: 'Close' }).tap();
  await sheet.waitFor({ state: 'hidden' });

  await page
    .getByRole('button', { name: 'To the latest' })
    .or(page.getByRole('button', { name: 'Jump to the latest' }))
    .tap();
  await messages(page, 'assistant').last().getByRole('button', { name: 'More to do with this message' }).tap();
  const menu = page.getByRole('dialog', { name: 'Actions' });
  await expectMoves(page, menu.getByRole('menuitem').nth(6), { y: -200 }, 'a menu');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: /^Model:/ }).tap();
  const models = page.getByRole('dialog', { name: 'Model' });
  await models.getByRole('option').nth(5).waitFor();
  await expectMoves(page, models.getByRole('option').nth(5), { y: -200 }, 'the models');
  await models.waitFor();
  await page.keyboard.press('Escape');

  await program(app)({ messages: [{ role: 'user', content: 'Line.\n'.repeat(400) }] }, says('Read.'));
  await page.goto(new URL('/recordings', page.url()).href);
  await page.getByRole('main').getByRole('link', { name: /^Line/ }).first().tap();
  await page.getByRole('tab', { name: 'Request' }).tap();
  const body = page.getByRole('region', { name: 'Request body' });
  await body.waitFor();
  await expectMoves(page, body, { y: -300 }, 'a recorded request');
});

test('what a finger moves stays under it, while rows above turn out to be of another height', async () => {
  const { open, forest } = await startApp();
  const turns = Array.from({ length: 80 }, (_, at) =>
    at % 2 === 0 ? user(`Question ${at}`) : assistant(`Answer ${at}\n\n${'- a\n'.repeat((at * 7) % 40)}`),
  );
  const { id } = await forest.threads.begin(turns, { title: 'Of all heights' });
  const page = await open(`/t/${id}`, PHONE);
  await page.getByText('Answer 79', { exact: true }).waitFor();
  const list = page.getByRole('region', { name: 'Messages' });
  for (let step = 0; step < 15; step++) {
    const seen = await page.evaluate(() => {
      const rows = [...document.querySelectorAll('section[aria-label="Messages"] [data-node]')];
      const row = rows.find((one) => one.getBoundingClientRect().bottom > innerHeight / 3)!;
      return { node: row.getAttribute('data-node')!, top: row.getBoundingClientRect().top };
    });
    await swipe(page, list, { y: 250 });
    const moved = () =>
      page.evaluate(
        ({ node, top }) => document.querySelector(`[data-node="${node}"]`)!.getBoundingClientRect().top - top,
        seen,
      );
    const isUnderFinger = async () => {
      const pixels = await moved();
      return (pixels > 225 && pixels < 255) || pixels;
    };
    await expect.poll(isUnderFinger, { message: `step ${step}` }).toBe(true);
  }
});

test('a finger that begins on a drawing, or on the preview of a page, moves the conversation; a tap enlarges the drawing', async () => {
  const { open, forest } = await startApp();
  const words = 'The loom stands by the window. '.repeat(40);
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 40"><rect width="80" height="40"/></svg>';
  const drawn = `${words}\n\n\`\`\`svg\n${svg}\n\`\`\`\n\n\`\`\`html\n<p>As written</p>\n\`\`\`\n\n${words}`;
  const { id } = await forest.threads.begin([user('Draw.'), assistant(drawn)], { title: 'Drawn' });
  const page = await open(`/t/${id}`, { ...PHONE, troubles: /sandboxed/ });
  const answer = messages(page, 'assistant');
  const drawing = answer.getByRole('button', { name: 'Enlarge: Drawing' });
  await drawing.scrollIntoViewIfNeeded();
  await expectMoves(page, drawing, { y: 150 }, 'over a drawing');
  expect(await page.getByRole('dialog').count(), 'a swipe is no tap').toBe(0);
  const html = answer.getByRole('figure', { name: 'Code: html' });
  await html.getByRole('button', { name: 'Show the preview' }).tap();
  await html.frameLocator('iframe').getByText('As written').waitFor();
  await html.locator('iframe').scrollIntoViewIfNeeded();
  await expectMoves(page, html.locator('iframe'), { y: 150 }, 'over a preview');
  await drawing.tap();
  await page.getByRole('dialog', { name: 'Drawing' }).waitFor();
  await page.touchscreen.tap(195, 60);
  await page.getByRole('dialog', { name: 'Drawing' }).waitFor({ state: 'hidden' });
});

test('the graph is moved by one finger and zoomed by two, and taps focus and open a message', async () => {
  const { open, forest } = await startApp();
  await forest.threads.begin([user('What is felt?')], { title: 'Felt' });
  const page = await open('/settings', PHONE);
  // Where the graph draws, and how large.
  await page.evaluate(() => {
    const own = CanvasRenderingContext2D.prototype.setTransform as (...how: unknown[]) => void;
    CanvasRenderingContext2D.prototype.setTransform = function (this: CanvasRenderingContext2D, ...how: unknown[]) {
      if (how[4] || how[5]) Object.assign(window, { camera: { scale: how[0], x: how[4], y: how[5] } });
      own.apply(this, how);
    };
  });
  const camera = () => page.evaluate('window.camera') as Promise<Record<'scale' | 'x' | 'y', number>>;
  await page.evaluate(`history.pushState(null, '', '/graph'); dispatchEvent(new PopStateEvent('popstate'))`);
  const graph = page.getByRole('application');
  await graph.waitFor();
  await expect.poll(camera).toBeDefined();
  const first = await camera();
  await swipe(page, graph, { x: -60, y: 90 });
  const moved = await camera();
  expect(moved.scale).toBe(first.scale);
  expect(moved.x - first.x).toBeLessThan(-50);
  expect(moved.y - first.y).toBeGreaterThan(80);
  const fingers = [
    { x: 150, y: 400 },
    { x: 240, y: 400 },
  ];
  await drag(page, fingers, [
    { x: -60, y: 0 },
    { x: 60, y: 0 },
  ]);
  expect((await camera()).scale / moved.scale).toBeGreaterThan(1.5);
  // The graph is larger, not the page.
  expect(await page.evaluate('visualViewport.scale')).toBe(1);

  await page.getByRole('button', { name: 'Fit all' }).tap();
  const box = (await graph.boundingBox())!;
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
  await page.getByRole('region', { name: 'Focused message' }).getByText('What is felt?').waitFor();
});
