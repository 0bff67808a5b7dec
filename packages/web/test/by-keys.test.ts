/** Without a mouse: what each screen offers is reached with Tab, and used with keys. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import type { FileChooser, Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { askForApproval, inChromium, openScreen, poet, program, startApp, twoConversations } from './kit.ts';

inChromium();

/** More steps than any screen here has. */
const MOST_STEPS = 250;

/** Goes to an element with Tab, as somebody without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const focused = target.and(page.locator(':focus'));
  for (let step = 0; step < MOST_STEPS; step++) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${target}`);
}

async function use(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

const HTML = `<!doctype html><p id="x">As written</p><script>document.getElementById('x').textContent = 'Scripted';</script>`;
const DRAWN = [
  '```mermaid\nflowchart LR\n  A --> B\n```',
  '```svg\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 2"><rect width="8" height="2"/></svg>\n```',
  `\`\`\`html\n${HTML}\n\`\`\``,
].join('\n\n');

test('a diagram shows its code, a drawing fills the screen, and a page is previewed and run, by keys', async () => {
  const { open, forest } = await startApp();
  const { id } = await forest.threads.begin([user('Draw.'), assistant(DRAWN)], { title: 'Drawn' });
  // What the frame may not do is reported in the console.
  const page = await open(`/t/${id}`, { reducedMotion: 'reduce', troubles: /sandboxed/ });
  const diagram = page.getByRole('figure', { name: 'Code: mermaid' });
  await use(page, diagram.getByRole('button', { name: 'Show the code' }));
  await diagram.getByText('flowchart LR').waitFor();
  await use(page, page.getByRole('button', { name: 'Enlarge: Drawing' }));
  await page.getByRole('dialog', { name: 'Drawing' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Drawing' }).waitFor({ state: 'hidden' });
  const html = page.getByRole('figure', { name: 'Code: html' });
  await use(page, html.getByRole('button', { name: 'Show the preview' }));
  await html.frameLocator('iframe').getByText('As written').waitFor();
  await use(page, html.getByRole('button', { name: 'Run scripts' }));
  await html.frameLocator('iframe').getByText('Scripted').waitFor();
  await use(page, html.getByRole('button', { name: 'Stop scripts' }));
  await html.frameLocator('iframe').getByText('As written').waitFor();
});

test('what changed between branches is shown, and the rail is walked, by keys', async () => {
  const app = await startApp();
  const { thread } = await twoConversations(app);
  const page = await app.open(`/t/${thread}`);
  const answer = page.getByRole('article', { name: 'assistant message' });
  await answer.getByText('Take wool.').waitFor();
  await page.getByRole('tree').getByText('Linen', { exact: true }).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('s');
  const cards = page.getByRole('dialog', { name: 'Branches' });
  await use(page, cards.getByRole('button', { name: 'What changed' }));
  await cards.locator('ins').getByText('linen').waitFor();
  await page.keyboard.press('Escape');
  await cards.waitFor({ state: 'hidden' });
  await tabTo(page, page.getByRole('tree'));
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await answer.getByText('Take linen.').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await answer.getByText('Take wool.').waitFor();
});

test('an agent is chosen, a key is tested and the default model is set, by keys', async () => {
  const { open, emulator, forest } = await startApp(poet);
  emulator.script('anthropic-messages', says('hello'));
  const page = await open('/new');
  const form = page.getByRole('form');
  await use(page, page.getByRole('region', { name: 'Agents' }).getByRole('button', { name: /Poet/ }));
  await form.getByRole('button', { name: 'Agent: Poet' }).waitFor();
  await use(page, page.getByRole('button', { name: /providers have a key/ }));
  const row = page
    .getByRole('list', { name: 'Providers with a key' })
    .getByRole('listitem')
    .filter({ hasText: /^anthropic/ })
    .first();
  await use(page, row.getByRole('button', { name: 'Test the key' }));
  await row.getByText(/answered in/).waitFor();
  await use(page, form.getByRole('button', { name: /^Model:/ }));
  await page.locator('input[placeholder="Search, or type provider/model"]:focus').waitFor();
  await page.keyboard.type('google/gemini-2.5-pro');
  await page.keyboard.press('Enter');
  await use(page, form.getByRole('button', { name: 'Model: google/gemini-2.5-pro' }));
  const option = page.getByRole('option', { name: 'Make the chosen model the default' });
  await option.waitFor();
  for (let step = 0; step < MOST_STEPS && (await option.getAttribute('aria-selected')) !== 'true'; step++)
    await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect.poll(() => forest.library.model()).toBe('google/gemini-2.5-pro');
});

test('conversations are sorted and filtered by keys', async () => {
  const { open, forest } = await startApp();
  for (const title of ['Beta', 'Alpha', 'Gamma']) await forest.threads.begin([user(`On ${title}`)], { title });
  const page = await open('/');
  const main = page.getByRole('main');
  const titles = () => main.locator('a[data-title]').allTextContents();
  await expect.poll(titles).toEqual(['Gamma', 'Alpha', 'Beta']);
  await tabTo(page, main.getByRole('combobox', { name: 'Sort by' }));
  await page.keyboard.type('Title');
  await expect.poll(titles).toEqual(['Alpha', 'Beta', 'Gamma']);
  await tabTo(page, main.getByRole('textbox', { name: 'Filter by title' }));
  await page.keyboard.type('am');
  await expect.poll(titles).toEqual(['Gamma']);
});

test('in Compare a call is approved, an answer is rated, and one is kept, by keys', async () => {
  const app = await startApp();
  const { open, forest } = app;
  const { thread, other, generation } = await askForApproval(app);
  const page = await open(`/compare?nodes=g-${generation},${other}`);
  const column = page.getByRole('region', { name: 'Branch 1' });
  await use(page, column.getByRole('region', { name: 'Approval' }).getByRole('button', { name: 'Approve' }));
  await column.getByText('Nineteen degrees.').waitFor();
  await use(page, page.getByRole('button', { name: 'Good answer in column 2' }));
  await expect.poll(async () => (await forest.node(other)).marks.rating).toBe(1);
  await use(page, page.getByRole('button', { name: 'Keep this one: branch 2' }));
  await page.waitForURL(/\/t\//);
  await expect.poll(async () => (await forest.threads.get(thread)).head).toBe(other);
});

test('recorded calls are read over time, in Pretty and Exact, and sent again, and their cost is divided, by keys', async () => {
  const app = await startApp();
  const call = program(app);
  await call({ messages: [{ role: 'user', content: 'Name a river.' }], session: 's-1' }, says('Tagus.'));
  await call({ messages: [{ role: 'user', content: 'Name a mountain.' }], session: 's-1' }, says('Estrela.'));
  const page = await app.open('/recordings');
  await use(page, page.getByRole('link', { name: /^Show session/ }).last());
  const waterfall = page.getByRole('figure', { name: 'Session over time' });
  await use(page, waterfall.getByRole('link', { name: /mountain/ }));
  const pane = page.getByRole('complementary', { name: 'Recording' });
  await pane.getByRole('article', { name: 'assistant' }).getByText('Estrela.').waitFor();
  await tabTo(page, pane.getByRole('tab', { selected: true }));
  for (let step = 0; step < 9 && !(await pane.getByRole('tab', { name: 'Response', selected: true }).count()); step++)
    await page.keyboard.press('ArrowRight');
  await use(page, pane.getByRole('button', { name: 'Pretty' }));
  const body = pane.getByRole('region', { name: 'Response body' });
  await use(page, body.getByRole('button', { name: 'Fold all' }));
  await body.getByRole('button', { name: 'Unfold all' }).waitFor();
  await use(page, pane.getByRole('button', { name: 'Exact' }));
  await body.getByRole('button', { name: 'Unfold all' }).waitFor({ state: 'detached' });
  app.emulator.script('anthropic-messages', says('Pico.'));
  await use(page, pane.getByRole('button', { name: 'Send again' }));
  await page.waitForURL(/\/compare\?nodes=/);
  await page.getByRole('region', { name: 'Branch 2' }).getByText('Pico.').waitFor();

  await openScreen(page, 'u');
  await page.waitForURL(/\/usage/);
  await use(page, page.getByText('Show as a table'));
  await page
    .getByRole('region', { name: /Cost by day/ })
    .getByRole('row')
    .last()
    .waitFor();
  await tabTo(page, page.getByRole('combobox', { name: 'Divide by' }));
  await page.keyboard.press('ArrowDown');
  await page.waitForURL(/by=/);
});

test('a session is read by keys', async () => {
  const { open, forest } = await startApp();
  await seedSample(forest);
  const { items } = await forest.threads.list({ agent: 'claude-code' });
  const page = await open(`/t/${items.find(({ part }) => part === 'main')!.id}`);
  await use(page, page.getByRole('link', { name: 'Show its steps and files' }));
  const command = page.getByRole('article', { name: 'Command npm test -- cart' }).first();
  await use(page, command.getByRole('button'));
  await command.getByText('expected 29.98 to be 29.97').waitFor();
  await use(page, page.getByRole('region', { name: 'Timeline' }).getByRole('link', { name: 'Step 3' }));
  await page.waitForURL(/#step-3$/);
});

/** Chooses from the menu that is open. */
async function pick(page: Page, item: string): Promise<void> {
  const wanted = page.getByRole('menuitem', { name: item, exact: true });
  await wanted.waitFor();
  for (let step = 0; step < MOST_STEPS && !(await wanted.and(page.locator(':focus')).count()); step++)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

test('a message is bookmarked and found again, and conversations are pinned, tagged, selected, archived and brought back, by keys', async () => {
  const { open, forest } = await startApp();
  for (const title of ['Dyes', 'Fibres'])
    await forest.threads.begin([user(`On ${title}.`), assistant(`About ${title}.`)], { title });
  const page = await open('/');
  const main = page.getByRole('main');
  const row = (title: string) => main.getByRole('link', { name: title, exact: true });
  const titles = () => main.locator('a[data-title]').allTextContents();
  await use(page, row('Fibres'));
  await page.getByRole('article', { name: 'assistant message' }).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('b');
  await page.getByLabel('Bookmarked').waitFor();
  await openScreen(page, 'f');
  await use(page, main.getByRole('button', { name: 'Bookmarks' }));
  await use(page, main.getByRole('region', { name: 'Bookmarks' }).getByRole('link').first());
  await page.waitForURL(/\/(t|c)\//);
  await page.getByRole('article', { name: 'assistant message' }).getByText('About Fibres.').waitFor();

  await page.evaluate('document.activeElement.blur()');
  await openScreen(page, 'f');
  await tabTo(page, row('Dyes'));
  await page.keyboard.press('.');
  await pick(page, 'Pin');
  await expect.poll(titles).toEqual(['Dyes', 'Fibres']);
  await tabTo(page, row('Dyes'));
  await page.keyboard.press('x');
  const bar = page.getByRole('toolbar', { name: 'Selected conversations' });
  await use(page, bar.getByRole('button', { name: 'Tag' }));
  await page.getByRole('dialog', { name: 'Tag 1 conversation' }).waitFor();
  await page.keyboard.type('colour');
  await page.keyboard.press('Enter');
  await main.getByText('colour', { exact: true }).waitFor();
  await use(page, bar.getByRole('button', { name: 'Archive' }));
  await expect.poll(titles).toEqual(['Fibres']);
  await use(page, main.getByRole('button', { name: 'Archived' }));
  await expect.poll(titles).toEqual(['Dyes']);
  await tabTo(page, row('Dyes'));
  await page.keyboard.press('.');
  await pick(page, 'Unarchive');
  await expect.poll(titles).toEqual([]);
  await use(page, main.getByRole('button', { name: 'Conversations' }));
  await expect.poll(titles).toEqual(['Dyes', 'Fibres']);
});

test('files are chosen, a source and code are read, and an answer is stopped, by keys', async () => {
  const { open, emulator, forest, gate } = await startApp();
  await seedSample(forest);
  const page = await open('/t/sample-tile', { permissions: ['clipboard-read', 'clipboard-write'] });
  const choosers: FileChooser[] = [];
  page.on('filechooser', (chooser) => choosers.push(chooser));
  await use(page, page.getByRole('button', { name: 'Source 1: example.org' }).first());
  await page.getByRole('dialog', { name: 'Source 1' }).getByText('Taking old tiles abroad').waitFor();
  await page.keyboard.press('Escape');

  const code = `const wool = ${JSON.stringify('x'.repeat(300))};`;
  const { id } = await forest.threads.begin([user('Code?'), assistant(`Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n`)]);
  await page.goto(new URL(`/t/${id}`, page.url()).href);
  const block = page.getByRole('figure', { name: 'Code: ts' });
  await use(page, block.getByRole('button', { name: 'Wrap lines' }));
  await block.getByRole('button', { name: 'Wrap lines', pressed: true }).waitFor();
  await use(page, block.getByRole('button', { name: 'Copy code' }));
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(code);
  await tabTo(page, page.getByRole('textbox', { name: 'Message' }));
  await use(page, page.getByRole('button', { name: 'Attach files' }));
  await expect.poll(() => choosers.length).toBe(1);

  emulator.script('anthropic-messages', says('One. Two.', { pieces: 4, chunkDelay: 1 }));
  gate.shut();
  await page.getByRole('textbox', { name: 'Message' }).focus();
  await page.keyboard.type('Again?');
  await page.keyboard.press('Enter');
  await gate.pass(3);
  await page.getByRole('article', { name: 'growing message' }).getByText('One').waitFor();
  await use(page, page.getByRole('form').getByRole('button', { name: 'Stop', exact: true }));
  await page.getByText('Stopped. What had arrived is kept.').waitFor();
  gate.open();

  await page.evaluate('document.activeElement.blur()');
  await openScreen(page, 'f');
  await use(page, page.getByRole('main').getByRole('button', { name: 'Import' }));
  await pick(page, 'Files…');
  await expect.poll(() => choosers.length).toBe(2);
  for (const chooser of choosers) expect(chooser.isMultiple()).toBe(true);
});

test('recorded calls are filtered and asked of another model, and the graph is walked back to the conversation, by keys', async () => {
  const app = await startApp();
  const call = program(app);
  await call({ messages: [{ role: 'user', content: 'Name a fibre.' }] }, says('Flax.'));
  await call({ model: 'claude-haiku-4-5', messages: [{ role: 'user', content: 'Name a dye.' }] }, says('Madder.'));
  const page = await app.open('/recordings');
  const link = (name: string) => page.getByRole('main').getByRole('link', { name, exact: true });
  await link('Name a dye.').waitFor();
  const filters = page.getByRole('toolbar', { name: 'Filters' });
  await tabTo(page, filters.getByRole('combobox', { name: 'Model' }));
  await page.keyboard.type('claude-h');
  await link('Name a fibre.').waitFor({ state: 'detached' });
  await tabTo(page, filters.getByRole('combobox', { name: 'Outcome' }));
  await page.keyboard.type('Failed');
  await page.getByText('No call matches these filters').waitFor();
  await use(page, filters.getByRole('button', { name: 'Clear filters' }));
  await tabTo(page, page.getByRole('searchbox', { name: 'Search calls' }));
  await page.keyboard.type('fibre');
  await link('Name a dye.').waitFor({ state: 'detached' });
  await use(page, link('Name a fibre.'));
  const pane = page.getByRole('complementary', { name: 'Recording' });
  await use(page, pane.getByRole('link', { name: 'Ask another model' }));
  await page.waitForURL(/\/compare\?nodes=/);
  await page.getByRole('region', { name: 'Branch 1' }).getByText('Flax.').waitFor();

  await page.evaluate('document.activeElement.blur()');
  await openScreen(page, 'g');
  await tabTo(page, page.getByRole('application'));
  await page.keyboard.press('PageDown');
  await page.getByRole('region', { name: 'Focused message' }).waitFor();
  await expect
    .poll(async () => {
      if (!/\/(t|c)\//.test(page.url())) await page.keyboard.press('Enter');
      return page.url();
    })
    .toMatch(/\/(t|c)\//);
  await page
    .getByRole('article', { name: /message$/ })
    .first()
    .waitFor();
});

test('a shortcut is changed and given back by keys', async () => {
  const { open } = await startApp();
  const page = await open('/settings');
  const keys = page.getByRole('region', { name: 'Keys', exact: true });
  const help = page.getByRole('dialog', { name: 'Keys' });
  await tabTo(page, keys.getByRole('searchbox', { name: 'Find a command' }));
  await page.keyboard.type('Help');
  await use(page, keys.getByRole('button', { name: 'Change the key of: Help: all keys' }));
  await page.keyboard.press('F1');
  const reset = keys.getByRole('button', { name: 'Reset the key of: Help: all keys' });
  await reset.waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('F1');
  await help.getByText('F1').waitFor();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  await use(page, reset);
  await reset.waitFor({ state: 'detached' });
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('F1');
  await page.keyboard.press('?');
  await help.waitFor();
  expect(await help.getByText('F1').count()).toBe(0);
});
