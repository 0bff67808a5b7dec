/** Long lists and conversations: what is on screen stays in its place, whatever the rows around it turn out to be. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, messages, startApp } from './kit.ts';

inChromium();

/** The empty space below the last message, in pixels. */
const room = (page: Page) =>
  page.evaluate(() => {
    const box = document.querySelector('section[aria-label="Messages"]')!;
    const rows = [...box.querySelectorAll('li')].map((row) => row.getBoundingClientRect().bottom);
    return box.getBoundingClientRect().bottom - Math.max(...rows);
  });

test('a conversation opens at its end, without an empty room below its last message', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  for (const width of [1440, 1024, 390]) {
    const page = await open('/');
    await page.setViewportSize({ width, height: 800 });
    // Markdown comes after the messages were drawn and measured as plain text.
    let letThrough = () => {};
    const held = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    await page.route(/rendered-markdown/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${new URL(page.url()).origin}/t/sample-lisbon`);
    await messages(page, 'assistant').last().waitFor();
    // Three times as long as it takes a list to rest.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 450)));
    letThrough();
    await page.locator('article .prose table, article .prose ul').first().waitFor({ state: 'attached' });
    await expect.poll(() => room(page), { message: `at ${width}` }).toBeLessThan(20);
    await expect.poll(() => room(page)).toBeGreaterThan(0);
  }
});

test('a branch that is shorter leaves what is above it in its place', async () => {
  const { open, forest } = await startApp();
  const above = await forest.append(
    'root',
    Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? user(`Question ${at}`) : assistant(`Answer ${at}`))),
  );
  const question = await forest.append(above, [user('The last question')]);
  await forest.append(question, [assistant('Short.')]);
  const head = await forest.append(question, [assistant('A long paragraph.\n\n'.repeat(30))]);
  const { id } = await forest.threads.create({ head, title: 'Two answers' });
  const page = await open(`/t/${id}`);
  await messages(page, 'assistant').getByText('2/2').waitFor();
  const last = messages(page, 'user').getByText('The last question', { exact: true });
  await page.getByRole('region', { name: 'Messages' }).hover();
  const top = () => last.evaluate((element) => Math.round(element.getBoundingClientRect().top));
  const drawn = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  while ((await last.count()) === 0 || (await top()) < 200) {
    await page.mouse.wheel(0, -100);
    await drawn();
  }
  await page.getByRole('button', { name: 'To the latest' }).waitFor();
  const before = await top();
  for (const [key, text] of [
    ['Alt+ArrowUp', 'Short.'],
    ['Alt+ArrowDown', '2/2'],
  ] as const) {
    await page.keyboard.press(key);
    await messages(page, 'assistant').getByText(text).waitFor();
    await drawn();
    expect(await top(), key).toBe(before);
  }
  // From the end of the long answer, the short one would be above the screen.
  await page.keyboard.press('End');
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => messages(page, 'assistant').getByText('Short.').boundingBox()).not.toBeNull();
  const short = messages(page, 'assistant').getByText('Short.');
  const { y } = (await page.getByRole('region', { name: 'Messages' }).boundingBox())!;
  await expect.poll(async () => (await short.boundingBox())!.y).toBeGreaterThan(y);
});

test('what is on screen moves with the wheel and no further, while rows above it are higher than they were thought to be', async () => {
  const { open, forest } = await startApp();
  const turns = Array.from({ length: 80 }, (_, at) =>
    at % 2 === 0 ? user(`Question ${at}`) : assistant(`Answer ${at}\n\n${'- a\n'.repeat((at * 7) % 40)}`),
  );
  const head = await forest.append('root', turns);
  const { id } = await forest.threads.create({ head, title: 'Of all heights' });
  const page = await open(`/t/${id}`);
  await page.getByText('Answer 79', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'Messages' }).hover();
  for (let step = 0; step < 30; step++) {
    const seen = await page.evaluate(() => {
      const rows = [...document.querySelectorAll('section[aria-label="Messages"] [data-node]')];
      const row = rows.find((one) => one.getBoundingClientRect().bottom > innerHeight / 3)!;
      return { node: row.getAttribute('data-node')!, top: row.getBoundingClientRect().top };
    });
    await page.mouse.wheel(0, -150);
    const moved = () =>
      page.evaluate(
        ({ node, top }) => document.querySelector(`[data-node="${node}"]`)!.getBoundingClientRect().top - top,
        seen,
      );
    await expect.poll(moved, { message: `step ${step}` }).toBeCloseTo(150, 0);
  }
  // At its beginning the list ends, and nothing is above it.
  await page.keyboard.press('Home');
  const first = messages(page, 'user').getByText('Question 0', { exact: true });
  const top = () => first.evaluate((one) => one.getBoundingClientRect().top);
  const box = (await page.getByRole('region', { name: 'Messages' }).boundingBox())!;
  await expect.poll(async () => (await top()) - box.y).toBeLessThan(60);
});

/** The words of the element that has the focus, with its place on screen. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const { top, bottom } = element.getBoundingClientRect();
    return {
      words: element.getAttribute('aria-label') ?? element.innerText,
      isSeen: top >= 0 && bottom <= innerHeight,
    };
  });

test('the focus stays in a row that the wheel moves far away, and the next key goes on from there', async () => {
  const { open, forest } = await startApp();
  for (let at = 0; at < 120; at++) await forest.threads.begin([user(`Question ${at}?`)], { title: `Talk ${at}` });
  const page = await open('/');
  const main = page.getByRole('main');
  const link = (title: string) => main.getByRole('link', { name: title, exact: true });
  await link('Talk 117').focus();
  await link('Talk 117').hover();
  for (const [by, seen] of [
    [3000, 'Talk 70'],
    [2000, 'Talk 30'],
  ] as const) {
    await page.mouse.wheel(0, by);
    await link(seen).waitFor();
    expect((await focused(page)).words).toBe('Talk 117');
  }
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => focused(page)).toEqual({ words: 'Talk 116', isSeen: true });

  const turns = Array.from({ length: 60 }, (_, at) =>
    at % 2 === 0 ? user(`Question ${at}`) : assistant('Yes. '.repeat(200)),
  );
  const { id } = await forest.threads.begin(turns, { title: 'A long one' });
  await page.goto(new URL(`/t/${id}`, page.url()).href);
  const more = messages(page, 'assistant').last().getByRole('button', { name: 'More to do with this message' });
  await more.focus();
  await page.getByRole('region', { name: 'Messages' }).hover();
  await page.mouse.wheel(0, -100_000);
  await messages(page, 'user').getByText('Question 0', { exact: true }).waitFor();
  expect((await focused(page)).words).toBe('More to do with this message');
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
});

test('a row says to a screen reader where it stands among all rows, not among those that are drawn', async () => {
  const { open, forest } = await startApp();
  const turns = Array.from({ length: 80 }, (_, at) => (at % 2 === 0 ? user(`Question ${at}`) : assistant('Yes.')));
  const { id } = await forest.threads.begin(turns, { title: 'A long one' });
  const page = await open(`/t/${id}`);
  const last = page.locator('li', { has: page.getByText('Question 78', { exact: true }) }).last();
  await last.waitFor();
  expect(await last.getAttribute('aria-posinset')).toBe('79');
  expect(await last.getAttribute('aria-setsize')).toBe('80');
});

test('a word in a message far away is found, and the message comes into sight', async () => {
  const { open, forest } = await startApp();
  const turns = Array.from({ length: 300 }, (_, at) =>
    at % 2 === 0
      ? user(`Question ${at}`)
      : assistant(`${'- a\n'.repeat((at * 7) % 40)}\n\n${at === 41 ? 'heddle' : 'reed'}`),
  );
  const { id } = await forest.threads.begin(turns, { title: 'On looms' });
  const page = await open(`/t/${id}`);
  await page.getByText('Question 298', { exact: true }).waitFor();
  await page.keyboard.press('f');
  await page.getByRole('textbox', { name: 'Find in this conversation' }).fill('heddle');
  await page.getByRole('status').getByText('1/1').waitFor();
  const word = page.getByRole('region', { name: 'Messages' }).getByText('heddle', { exact: true });
  await expect.poll(() => word.boundingBox()).not.toBeNull();
  const box = (await page.getByRole('region', { name: 'Messages' }).boundingBox())!;
  await expect
    .poll(async () => {
      const { y, height } = (await word.boundingBox())!;
      return y >= box.y && y + height <= box.y + box.height;
    })
    .toBe(true);
});

test('an answer that grows is followed at its end, and moves nothing for a reader who went up', async () => {
  const { open, forest, emulator, gate } = await startApp();
  const turns = Array.from({ length: 20 }, (_, at) =>
    at % 2 === 0 ? user(`Question ${at}`) : assistant('Yes. '.repeat(60)),
  );
  const { id } = await forest.threads.begin(turns, { title: 'A long one' });
  const lines = Array.from({ length: 120 }, (_, at) => `Line ${at}.`).join('\n\n');
  emulator.script('anthropic-messages', says(lines, { pieces: 20, chunkDelay: 1 }));
  const page = await open(`/t/${id}`);
  await page.getByText('Question 18', { exact: true }).waitFor();
  gate.shut();
  await page.getByRole('textbox', { name: 'Message' }).fill('And now?');
  await page.keyboard.press('Enter');
  await gate.pass(24);
  const growing = page.getByRole('article', { name: 'growing message' });
  await growing.getByText('Line 20.', { exact: true }).waitFor();
  const toEnd = () =>
    page
      .getByRole('region', { name: 'Messages' })
      .evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
  await expect.poll(toEnd).toBeLessThan(48);
  await page.getByRole('region', { name: 'Messages' }).hover();
  await page.mouse.wheel(0, -600);
  await page.getByRole('button', { name: 'Jump to the latest' }).waitFor();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  const seen = growing.getByText('Line 3.', { exact: true });
  const top = () => seen.evaluate((line) => Math.round(line.getBoundingClientRect().top));
  const before = await top();
  await gate.pass(20);
  await growing.getByText('Line 60.', { exact: true }).waitFor({ state: 'attached' });
  expect(await top()).toBe(before);
  await page.getByRole('button', { name: 'Jump to the latest' }).click();
  await expect.poll(toEnd).toBeLessThan(48);
  gate.open();
  await page.getByText('Line 119.', { exact: true }).waitFor();
  await expect.poll(toEnd).toBeLessThan(48);
});
