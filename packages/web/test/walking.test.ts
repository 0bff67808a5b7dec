/** Every screen by keys alone: many conversations at once, sharing, the graph, four columns, recorded calls. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, openScreen, program, startApp } from './kit.ts';

inChromium();

const leaveField = (page: Page) => page.evaluate('document.activeElement.blur()');

test('several conversations are selected, tagged, and brought back after they were deleted, by keys', async () => {
  const { open, forest } = await startApp();
  for (const title of ['Alpha', 'Beta', 'Gamma', 'Delta']) await forest.threads.begin([user(`On ${title}`)], { title });
  const page = await open('/');
  const main = page.getByRole('main');
  const titles = () => main.locator('a[data-title]').allTextContents();
  await expect.poll(titles).toEqual(['Delta', 'Gamma', 'Beta', 'Alpha']);
  await main.getByRole('link', { name: 'Delta', exact: true }).focus();
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+X');
  const bar = page.getByRole('toolbar', { name: 'Selected conversations' });
  await bar.getByText('3 selected').waitFor();
  await bar.getByRole('button', { name: 'Tag' }).press('Enter');
  await page.getByRole('dialog', { name: 'Tag 3 conversations' }).getByRole('combobox', { name: 'Tag' }).waitFor();
  await page.keyboard.type('greek');
  await page.keyboard.press('Enter');
  await expect.poll(() => main.getByText('greek', { exact: true }).count()).toBe(3);
  expect(await page.getByRole('dialog').count(), 'Enter does not open the dialog again').toBe(0);
  await bar.getByRole('button', { name: 'Delete' }).press('Enter');
  await expect.poll(titles).toEqual(['Alpha']);
  await page.getByText('Deleted 3 conversations').waitFor();
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await expect.poll(async () => (await titles()).length).toBe(4);
  const tagged = (await forest.threads.list()).items.filter(({ tags }) => tags.includes('greek'));
  expect(tagged.map(({ title }) => title).sort()).toEqual(['Beta', 'Delta', 'Gamma']);
});

test('the number of conversations is not told before all of them are there', async () => {
  const { open, forest } = await startApp();
  for (let number = 0; number < 130; number++)
    await forest.threads.begin([user(`On ${number}`)], { title: `T${number}` });
  const page = await open('/settings');
  let letThrough = () => {};
  const held = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  await page.route(/\/threads\?.*after=/, async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  await leaveField(page);
  await openScreen(page, 'f');
  const heading = page.getByRole('heading', { name: /^Forest/, level: 1 });
  await page.getByRole('main').getByRole('link', { name: 'T129' }).waitFor();
  expect(await heading.innerText()).toMatch(/Loading…$/);
  letThrough();
  await heading.getByText('130 conversations').waitFor();
});

test('a conversation is shared as Markdown by keys, and as a page that loads nothing and can be printed', async () => {
  const { open, forest } = await startApp();
  const { id } = await forest.threads.begin([user('What is **felt**?'), assistant('Pressed wool.')], { title: 'Felt' });
  const page = await open(`/t/${id}`);
  await page.getByRole('article', { name: 'assistant message' }).waitFor();
  await leaveField(page);
  await page.keyboard.press('S');
  const dialog = page.getByRole('dialog', { name: /Share or export/ });
  await dialog.locator('input[type=radio]:focus').waitFor();
  const address = await dialog.getByRole('link', { name: 'Open it in a new tab' }).getAttribute('href');
  const shared = await (await page.request.get(new URL(address!, page.url()).href)).text();
  expect(shared).toContain('Pressed wool.');
  expect(shared).toContain('@media print');
  expect(shared).not.toMatch(/<script|<link|src="http|url\(http/);
  for (let step = 0; step < 2; step++) await page.keyboard.press('ArrowDown');
  expect(await dialog.getByRole('radio', { name: /^Markdown/ }).isChecked()).toBe(true);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog
      .getByRole('link', { name: 'Download' })
      .or(dialog.getByRole('button', { name: 'Download' }))
      .press('Enter'),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.md$/);
});

test('the graph is walked by keys, has a map of itself, and leads back to the conversation', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const page = await open('/graph');
  const graph = page.getByRole('application');
  await graph.focus();
  await expect.poll(() => page.locator('canvas').count()).toBe(2);
  await page.keyboard.press('ArrowRight');
  const card = page
    .getByRole('complementary')
    .or(page.getByRole('region', { name: 'Focused message' }))
    .first();
  await card.waitFor();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/(t|c)\//);
  await page
    .getByRole('article', { name: /message$/ })
    .first()
    .waitFor();
});

test('a graph of thousands of messages has three levels of detail and a map to move by, and leads back to the conversation', async () => {
  const { open, forest } = await startApp();
  const questions = await Promise.all(
    Array.from({ length: 80 }, (_, at) => forest.append('root', [user(`Question ${at}?`)])),
  );
  await Promise.all(
    questions.flatMap((question) =>
      Array.from({ length: 80 }, (_, at) => forest.append(question, [assistant(`Answer ${at}.`)])),
    ),
  );
  const page = await open('/settings');
  // What is drawn into the graph itself, which is wider than its map.
  await page.evaluate(() => {
    const drawn: Record<string, number> = {};
    Object.assign(window, { drawn });
    const pen = CanvasRenderingContext2D.prototype as unknown as Record<string, (...how: unknown[]) => unknown>;
    for (const name of ['fillText', 'fillRect', 'drawImage']) {
      const own = pen[name]!;
      pen[name] = function (this: CanvasRenderingContext2D, ...how) {
        if (this.canvas.isConnected && this.canvas.width > 400) drawn[name] = (drawn[name] ?? 0) + 1;
        return own.apply(this, how);
      };
    }
  });
  const drawn = () => page.evaluate(() => ({ ...(window as unknown as { drawn: Record<string, number> }).drawn }));
  const forget = () => page.evaluate('for (const name in window.drawn) delete window.drawn[name]');
  await leaveField(page);
  await openScreen(page, 'g');
  const graph = page.getByRole('application', { name: /^Graph with 6,?480/ });
  await graph.focus();
  const picture = (at: number) =>
    page
      .locator('canvas')
      .nth(at)
      .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  // Cards with words.
  await expect.poll(async () => (await drawn()).fillText).toBeGreaterThan(10);
  expect((await drawn()).drawImage).toBeUndefined();
  // All of it: one picture, and no card by itself.
  await forget();
  await page.keyboard.press('0');
  await expect.poll(async () => (await drawn()).drawImage).toBeGreaterThan(0);
  expect((await drawn()).fillRect).toBeLessThan(200);
  // Between the two: each card that is seen is a bar without words.
  const small = await picture(0);
  await forget();
  for (let step = 0; step < 6; step++) await page.keyboard.press('+');
  await expect.poll(async () => (await drawn()).fillRect).toBeGreaterThan(200);
  expect(await picture(0)).not.toBe(small);

  const before = await picture(0);
  const map = (await page.locator('canvas').nth(1).boundingBox())!;
  await page.mouse.click(map.x + map.width / 2, map.y + map.height - 4);
  await expect.poll(() => picture(0)).not.toBe(before);

  await graph.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  const card = page.getByRole('region', { name: 'Focused message' });
  await card.getByText(/^Answer \d+\.$/).waitFor();
  const answer = await card.getByText(/^Answer \d+\.$/).innerText();
  await graph.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/(t|c)\//);
  await page.getByRole('article', { name: 'assistant message' }).getByText(answer, { exact: true }).waitFor();
});

test('Compare shows four branches beside each other, with bars for cost, time and length, and none is added by a fifth', async () => {
  const { open, forest } = await startApp();
  const { head } = await forest.threads.begin([user('Name a knot.')], { title: 'Knots' });
  const nodes: string[] = [];
  for (const knot of ['Bowline.', 'Reef knot.', 'Sheet bend.', 'Clove hitch.', 'Figure of eight.'])
    nodes.push(await forest.append(head, [assistant(knot)]));
  const page = await open(`/compare?nodes=${nodes.slice(0, 3).join()}`);
  await page.getByRole('region', { name: 'Branch 3' }).getByText('Sheet bend.').waitFor();
  await page.getByRole('button', { name: 'Add a branch' }).press('Enter');
  await page.getByRole('menuitem', { name: /Clove hitch/ }).press('Enter');
  const fourth = page.getByRole('region', { name: 'Branch 4' });
  await fourth.getByText('Clove hitch.').waitFor();
  await fourth.getByText('Length', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Add a branch' }).and(page.locator(':enabled')).count()).toBe(0);
  await page.getByRole('button', { name: 'Remove column 4' }).press('Enter');
  await fourth.waitFor({ state: 'detached' });
});

test('a recorded call is reached by keys and asked of another model', async () => {
  const app = await startApp();
  const call = program(app);
  await call({ messages: [{ role: 'user', content: 'Name a fibre.' }] }, says('Flax.'));
  await call({ messages: [{ role: 'user', content: 'Name a dye.' }] }, says('Madder.'));
  const page = await app.open('/');
  await page.getByRole('main').waitFor();
  await openScreen(page, 'r');
  await page.waitForURL(/\/recordings/);
  // The list at the side has it earlier.
  await page.getByRole('main').getByRole('link', { name: 'Name a dye.', exact: true }).waitFor();
  await page.keyboard.press('j');
  const pane = page.getByRole('complementary', { name: 'Recording' });
  await pane.getByRole('heading', { name: 'Name a dye.' }).waitFor();
  await page.keyboard.press('j');
  await pane.getByRole('heading', { name: 'Name a fibre.' }).waitFor();
  await pane.getByRole('link', { name: 'Ask another model' }).press('Enter');
  await page.waitForURL(/\/compare\?nodes=/);
  await page.getByRole('region', { name: 'Branch 1' }).getByText('Flax.').waitFor();
  app.emulator.script('google-generatecontent', says('Hemp.'));
  await page.getByRole('button', { name: 'Models', exact: true }).press('Enter');
  await page.getByRole('textbox', { name: 'Find a model' }).or(page.getByPlaceholder('Find a model')).first().waitFor();
  await page.keyboard.type('gemini-2.5-pro');
  await page
    .getByRole('checkbox', { name: /gemini-2\.5-pro/ })
    .first()
    .press('Space');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Ask 1 model' }).press('Enter');
  await page.getByRole('region', { name: 'Branch 2' }).getByText('Hemp.').waitFor();
});

test('the graph writes the title of each tree above it', async () => {
  const { open, forest } = await startApp();
  for (const title of ['Dyes of the coast', 'Fibres of the hills'])
    await forest.threads.begin([user(title.slice(0, 4)), assistant('Many.')], { title });
  const page = await open('/settings');
  await page.evaluate(() => {
    const words: string[] = [];
    Object.assign(window, { words });
    const own = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
      words.push(text);
      return own.call(this, text, ...place);
    };
  });
  await leaveField(page);
  await openScreen(page, 'g');
  await page.getByRole('application').waitFor();
  for (const title of ['Dyes of the coast', 'Fibres of the hills'])
    await expect.poll(() => page.evaluate('window.words'), { message: title }).toContain(title);
});
