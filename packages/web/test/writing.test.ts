/** Writing a message: what Enter does, the queue, and files that are pasted or chosen. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { composer, inChromium, poet, startApp } from './kit.ts';

inChromium();

const attached = (page: Page) => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');

test('Enter sends and Shift+Enter begins a line, until the setting turns that round', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', [says('One.'), says('Two.')]);
  const page = await open('/new');
  await composer(page).focus();
  await page.keyboard.type('First');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('line');
  expect(await composer(page).inputValue()).toBe('First\nline');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'assistant message' }).getByText('One.').waitFor();

  await page.getByRole('button', { name: /^Ways to send/ }).press('Enter');
  await page.getByRole('checkbox', { name: /^Enter sends/ }).press('Space');
  await page.keyboard.press('Escape');
  await composer(page).focus();
  await page.keyboard.type('Second');
  await page.keyboard.press('Enter');
  await page.keyboard.type('line');
  expect(await composer(page).inputValue()).toBe('Second\nline');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('article', { name: 'assistant message' }).getByText('Two.').waitFor();
});

test('messages that are sent while an answer streams wait in a queue, where they are edited and dropped by keys', async () => {
  const { open, emulator, gate, forest } = await startApp();
  emulator.script('anthropic-messages', [says('A long answer.', { chunkDelay: 1 }), says('Next.')]);
  const page = await open('/new');
  gate.shut();
  await composer(page).fill('Begin.');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'growing message' }).waitFor();
  const queue = page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem');
  for (const text of ['Keep this.', 'Drop this.', 'Edit this.']) {
    await composer(page).fill(text);
    await page.keyboard.press('Enter');
    await queue.filter({ hasText: text }).waitFor();
  }
  await queue
    .filter({ hasText: 'Drop this.' })
    .getByRole('button', { name: 'Drop this queued message' })
    .press('Enter');
  await queue
    .filter({ hasText: 'Edit this.' })
    .getByRole('button', { name: 'Edit this queued message' })
    .press('Enter');
  await expect.poll(() => queue.count()).toBe(1);
  expect(await composer(page).inputValue()).toBe('Edit this.');
  gate.open();
  await page.getByRole('article', { name: 'assistant message' }).getByText('Next.').waitFor();
  expect(await queue.count()).toBe(0);
  expect(await composer(page).inputValue()).toBe('Edit this.');
  const { head } = (await forest.threads.list()).items[0]!;
  expect((await forest.path(head)).map(({ message }) => message.text)).toEqual([
    'Begin.',
    'A long answer.',
    'Keep this.',
    'Next.',
  ]);
});

test('a picture is pasted, a file is chosen, a long text that is pasted is attached, and all of them are sent', async () => {
  const { open, emulator, forest } = await startApp();
  emulator.script('anthropic-messages', says('Seen.'));
  const page = await open('/new');
  await composer(page).focus();
  await composer(page).evaluate((field) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([137, 80, 78, 71])], 'tile.png', { type: 'image/png' }));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await attached(page).getByText('tile.png').waitFor();
  await page
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Warp and weft.') });
  await attached(page).getByText('notes.txt').waitFor();
  await composer(page).evaluate((field) => {
    const data = new DataTransfer();
    data.setData('text/plain', Array.from({ length: 400 }, (_, line) => `Line ${line}`).join('\n'));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await attached(page).getByText('Pasted text, 400 lines').waitFor();
  await attached(page).getByRole('button', { name: 'Remove notes.txt' }).press('Enter');
  await expect.poll(() => attached(page).count()).toBe(2);
  await composer(page).fill('What is this?');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'assistant message' }).getByText('Seen.').waitFor();
  const { head } = (await forest.threads.list()).items[0]!;
  const [asked] = await forest.path(head);
  expect(asked!.message.content.map(({ type }) => type)).toContain('media');
  expect(asked!.message.text).toContain('Line 399');
  expect(asked!.message.text).toContain('What is this?');
  expect(asked!.message.text).not.toContain('Warp');
});

test('the model picker has the focus in its field when it opens for the first time', async () => {
  const { open } = await startApp();
  const page = await open('/new');
  await page.getByRole('button', { name: /^Model:/ }).press('Enter');
  await page.locator('input[placeholder="Search, or type provider/model"]:focus').waitFor();
  await page.keyboard.type('gemini-2.5-pro');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Model: google\/gemini-2\.5-pro/ }).waitFor();
});

test('the model pickers open at the model that answers next, which is marked and in sight', async () => {
  const { open } = await startApp({ model: 'openai/gpt-4o-mini' });
  const page = await open('/new');
  const current = page.getByRole('option', { name: /gpt-4o-mini/, selected: true });
  const isInSight = () =>
    current.evaluate((option) => {
      const [box, list] = [option.getBoundingClientRect(), option.closest('[role=listbox]')!.getBoundingClientRect()];
      return box.height > 0 && box.top >= list.top && box.bottom <= list.bottom;
    });
  const button = page.getByRole('button', { name: 'Model: openai/gpt-4o-mini' });
  // The second time, the list is there at once.
  for (const _time of ['first', 'second']) {
    await button.press('Enter');
    await current.getByLabel('chosen').waitFor();
    await expect.poll(isInSight).toBe(true);
    await page.keyboard.press('Escape');
    await current.waitFor({ state: 'detached' });
  }
  await page.keyboard.press('Control+m');
  await current.waitFor();
  await expect.poll(isInSight).toBe(true);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await button.waitFor({ state: 'detached' });
});

test('a key that comes before the page has heard that a pane was closed opens it again, or another one', async () => {
  const { open } = await startApp();
  const page = await open('/new');
  const button = page.getByRole('button', { name: /^Model:/ });
  const field = page.locator('input[placeholder="Search, or type provider/model"]:focus');
  await button.press('Enter');
  await field.waitFor();
  // The browser tells of what it closed in a task of its own, and of nothing if it was opened before that.
  await page.evaluate(`addEventListener('toggle', (event) => {
    if (event.newState === 'closed') event.stopImmediatePropagation();
  }, true)`);
  await page.keyboard.press('Escape');
  await button.press('Enter');
  await field.waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search or run a command').waitFor();
});

test('several answers are asked for in a pane that explains them, an agent is chosen by @, and a command is run by a slash', async () => {
  const { open, emulator } = await startApp(poet);
  emulator.script('anthropic-messages', [says('Red.'), says('Green.')]);
  const page = await open('/new');
  await composer(page).fill('A colour?');
  await page.getByRole('button', { name: /^Ways to send/ }).press('Enter');
  const ways = page.getByRole('dialog', { name: 'Ways to send' });
  await ways.getByText(/Every answer becomes a branch/).waitFor();
  await ways.getByRole('radio', { name: '2', exact: true }).press('Space');
  await ways.getByRole('button', { name: 'Send for 2 answers' }).press('Enter');
  await page.getByRole('group', { name: 'Branches' }).getByText('/2').waitFor();
  await expect.poll(() => emulator.log.length).toBe(2);
  await page.getByRole('article', { name: 'growing message' }).waitFor({ state: 'hidden' });

  await composer(page).focus();
  await page.keyboard.type('@poe');
  await page.getByRole('option', { name: /Poet/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('form').getByRole('button', { name: 'Agent: Poet' }).waitFor();
  expect(await composer(page).inputValue()).toBe('');
  await page.keyboard.type('/prompts');
  await page.getByRole('option', { name: /Prompts/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Prompts' }).waitFor();
});

test('text that is typed while an answer streams stays when it is stopped, and each conversation has a draft of its own', async () => {
  const { open, emulator, gate, forest } = await startApp();
  emulator.script('anthropic-messages', says('One. Two.', { pieces: 4, chunkDelay: 1 }));
  const { id } = await forest.threads.begin([user('An older one.'), assistant('Indeed.')], { title: 'Older' });
  const page = await open('/new');
  gate.shut();
  await composer(page).fill('First?');
  await page.keyboard.press('Enter');
  await gate.pass(3);
  await page.getByRole('article', { name: 'growing message' }).getByText('One').waitFor();
  await composer(page).fill('a thought of mine');
  await page.getByRole('form').getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped. What had arrived is kept.').waitFor();
  gate.open();
  expect(await composer(page).inputValue()).toBe('a thought of mine');

  const here = page.url();
  await page.getByRole('navigation', { name: 'Forest' }).getByRole('link', { name: 'Older' }).click();
  await page.waitForURL(new RegExp(id));
  await page.getByRole('article', { name: 'assistant message' }).getByText('Indeed.').waitFor();
  expect(await composer(page).inputValue()).toBe('');
  await composer(page).fill('another draft');
  await page.goto(here);
  await expect.poll(() => composer(page).inputValue()).toBe('a thought of mine');
  await page.goto(new URL(`/t/${id}`, here).href);
  await expect.poll(() => composer(page).inputValue()).toBe('another draft');
});

test('the field of a new conversation is in the middle, above the models that were asked last and what is possible', async () => {
  const { open } = await startApp(poet);
  const page = await open('/new');
  const form = page.getByRole('form');
  for (const model of ['openai/gpt-5', 'google/gemini-2.5-pro']) {
    await form.getByRole('button', { name: /^Model:/ }).press('Enter');
    await page.locator('input[placeholder="Search, or type provider/model"]:focus').waitFor();
    await page.keyboard.type(model);
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: `Model: ${model}` }).waitFor();
  }
  await page.reload();
  const recent = page.getByRole('list', { name: 'Recent models' });
  await expect.poll(() => recent.getByRole('button').allInnerTexts()).toEqual(['gemini-2.5-pro', 'gpt-5']);
  await recent.getByRole('button', { name: 'gpt-5', exact: true }).press('Enter');
  await form.getByRole('button', { name: 'Model: openai/gpt-5' }).waitFor();
  const possible = page.getByRole('list', { name: 'What is possible' });
  for (const what of ['prompts and commands', 'agents and tools', 'paste or drop files', 'set a system text'])
    await possible.getByText(what).waitFor();
  const main = (await page.getByRole('main').boundingBox())!;
  const field = (await composer(page).boundingBox())!;
  expect(Math.abs(field.x + field.width / 2 - (main.x + main.width / 2))).toBeLessThan(20);
  const place = (field.y + field.height / 2 - main.y) / main.height;
  expect(place).toBeGreaterThan(0.25);
  expect(place).toBeLessThan(0.65);
});
