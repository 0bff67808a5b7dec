/** The palette has every action, and every action can have a key. */
import { assistant, user } from '@skein/core';
import { expect, test } from 'vitest';
import { type App, inChromium, startApp } from './kit.ts';

type Page = Awaited<ReturnType<App['open']>>;

inChromium();

/** Runs an action of the palette by keys. */
const run = async (page: Page, name: string) => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type(name);
  await page.getByRole('option', { name, selected: true }).waitFor();
  await page.keyboard.press('Enter');
};

/** The names of all buttons and fields on the screen. */
const readControls = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('main :is(button, select, textarea, summary, input:not([type=file]))')]
    .filter((one) => one.checkVisibility() && !one.disabled && !one.closest('[aria-hidden=true]') && one.tabIndex >= 0)
    .map((one) => (one.ariaLabel ?? one.labels?.[0]?.innerText ?? one.innerText).replace(/\\s+/g, ' ').trim())`);

test('every button and field of a screen is found in the palette', async () => {
  const { open, forest } = await startApp();
  const { head } = await forest.threads.begin([user('Name a fibre.')], { title: 'Fibres' });
  const nodes = [await forest.append(head, [assistant('Flax.')]), await forest.append(head, [assistant('Hemp.')])];
  const page = await open('/');
  for (const place of ['/', `/compare?nodes=${nodes.join()}`, '/usage']) {
    await page.goto(new URL(place, page.url()).href);
    await page.getByRole('main').getByRole('heading', { level: 1 }).first().waitFor();
    await expect.poll(async () => (await readControls(page)).length, { message: place }).toBeGreaterThan(1);
    const names = [...new Set(await readControls(page))].filter((name) => name !== '' && name.length <= 80);
    await page.keyboard.press('Control+k');
    // A few of each screen, from its beginning to its end.
    for (const name of names.filter((_, at) => at % Math.ceil(names.length / 5) === 0)) {
      await page.getByPlaceholder('Search or run a command').fill(name);
      await page.getByRole('option').filter({ hasText: name }).first().waitFor();
    }
    await page.keyboard.press('Escape');
  }
  // What is found is pressed.
  await page.goto(new URL('/usage', page.url()).href);
  await page.getByRole('combobox', { name: 'Divide by' }).waitFor();
  await run(page, 'Divide by');
  await page.waitForFunction(`document.activeElement.ariaLabel === 'Divide by'`);
});

test('the conversation on screen is renamed, pinned, archived and deleted from the palette', async () => {
  const { open, forest } = await startApp();
  const words = [user('Name a fibre.'), assistant('Flax, **spun**.')];
  const { id } = await forest.threads.begin(words, { title: 'Fibres' });
  const page = await open(`/t/${id}`);
  await page.getByRole('article', { name: 'assistant' }).getByText('spun').waitFor();
  await run(page, 'Conversation: Rename');
  await page.getByRole('textbox', { name: 'Title' }).fill('Bast fibres');
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Forest' }).getByText('Bast fibres').waitFor();
  await run(page, 'Conversation: Pin');
  await page.getByRole('navigation', { name: 'Forest' }).getByRole('heading', { name: 'Pinned' }).waitFor();
  await run(page, 'Show the message as written');
  await page.getByRole('article', { name: 'assistant' }).getByText('**spun**').waitFor();
  await run(page, 'Tokens and cost of the message');
  await page.getByRole('tab', { name: 'Usage', selected: true }).waitFor();
  await run(page, 'Conversation: Archive');
  await page.getByText(/^Archived “Bast/).waitFor();
  await run(page, 'Conversation: Delete');
  await page.waitForURL(/\/$/);
  await page.getByText(/^Deleted “Bast/).waitFor();
  await run(page, 'Deleted conversations');
  await page.getByRole('link', { name: 'Bast fibres' }).waitFor();
});

test('an action that comes without a key gets one in Settings', async () => {
  const { open } = await startApp();
  const page = await open('/settings#keys');
  await page.getByRole('searchbox', { name: 'Find a command' }).fill('Dark theme');
  await page.getByRole('button', { name: /Dark theme/ }).press('Enter');
  await page.keyboard.press('q');
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('q');
  await page.locator('html[data-theme=dark]').waitFor();
});

test('the models of the palette are by provider, newest first, and do not begin with embeddings', async () => {
  const { open } = await startApp();
  const page = await open('/');
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+m');
  const openai = page.getByRole('group', { name: 'openai', exact: true }).getByRole('option');
  await openai.first().waitFor();
  expect(await openai.first().innerText()).toMatch(/^openai\/gpt-\d/);
  await page.keyboard.type('haiku');
  await page.getByRole('option', { name: /haiku/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Asked next: .*haiku/ }).waitFor();
});
