/** Without a mouse: what each screen offers is reached with Tab, and used with keys. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { askForApproval, inChromium, poet, program, startApp, twoConversations } from './kit.ts';

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

  await page.keyboard.press('o');
  await page.keyboard.press('u');
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
