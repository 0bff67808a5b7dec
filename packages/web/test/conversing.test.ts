/** A conversation in the page: sending, stopping, branching, other providers, tools that ask. */
import { says } from '@skein/emulator';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { composer, inChromium, messages, send, startApp } from './kit.ts';

inChromium();

/** Types a model into the picker. */
async function choose(page: Page, model: string): Promise<void> {
  const form = page.getByRole('form', { name: 'Composer' });
  await form.getByRole('button', { name: /^Model:/ }).click();
  await page.getByPlaceholder('Search, or type provider/model').fill(model);
  await page.keyboard.press('Enter');
  await form.getByRole('button', { name: `Model: ${model}` }).waitFor();
}

test('a first message is sent, its answer streams in, and the address is its own', async () => {
  const { open, emulator, gate } = await startApp();
  emulator.script('anthropic-messages', says('One word after another.', { pieces: 4, chunkDelay: 1 }));
  const page = await open('/new');
  gate.shut();
  await send(page, 'Say something.');
  await gate.reached();
  await page.getByRole('article', { name: 'growing message' }).waitFor();
  gate.open();
  await messages(page, 'assistant').getByText('One word after another.').waitFor();
  await page.waitForURL(/\/t\/[\w.:-]+\/[0-9a-f]{40}$/);
  await messages(page, 'user').getByText('Say something.').waitFor();
});

test('what has streamed stays when it is stopped, and goes on when it is resumed', async () => {
  const { open, emulator, gate } = await startApp();
  const half = 'The first half of an answer ';
  emulator.script('anthropic-messages', [
    says(`${half}and the second.`, { pieces: half.length, chunkDelay: 1 }),
    says('What was left to say.'),
  ]);
  const page = await open('/new');
  await composer(page).fill('Tell me.');
  gate.shut();
  await page.keyboard.press('Control+Enter');
  await gate.pass(3);
  await page.getByRole('article', { name: 'growing message' }).getByText('The first half').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Stopped. What had arrived is kept.').waitFor();
  gate.open();
  await messages(page, 'assistant').getByText('The first half').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await messages(page, 'assistant').getByText('What was left to say.').waitFor();
});

test('an answer that is refused without a word says so, and the next question is asked below it', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', [{ blocks: [], stop: 'refusal' }, says('Gladly.')]);
  const page = await open('/new');
  await send(page, 'Tell me.');
  await messages(page, 'assistant').getByText('Nothing was said. It ended with refusal.').waitFor();
  await send(page, 'Something else?');
  await messages(page, 'assistant').getByText('Gladly.').waitFor();
  expect(await messages(page, 'assistant').count()).toBe(2);
});

test('an edit is a branch, answers are made three at a time, and keys go between them', async () => {
  const { open, emulator, forest } = await startApp();
  emulator.script('anthropic-messages', [says('Red.'), says('Green.'), says('Blue.'), says('Grey.'), says('Seven.')]);
  const page = await open('/new');
  await send(page, 'A colour?');
  await messages(page, 'assistant').getByText('Red.').waitFor();

  await composer(page).blur();
  // Neither waits for the other: the second key of two has to come soon.
  await Promise.all([page.keyboard.press('g'), page.keyboard.press('3')]);
  const switcher = page.getByRole('group', { name: 'Branches' });
  await switcher.getByText('/4').waitFor();
  // An answer may change its place until all are there.
  const question = (await forest.children('root')).items[0]!.id;
  await expect.poll(async () => (await forest.children(question)).items.length).toBe(4);
  await page.getByRole('article', { name: 'growing message' }).waitFor({ state: 'hidden' });
  const seen = new Set<string>();
  for (let at = Number.parseInt(await switcher.innerText(), 10); at > 1; at--) {
    await page.keyboard.press(at % 2 === 0 ? 'Alt+ArrowUp' : 'k');
    await switcher.getByText(`${at - 1}/4`).waitFor();
  }
  for (let at = 1; at <= 4; at++) {
    await switcher.getByText(`${at}/4`).waitFor();
    const colour = messages(page, 'assistant').getByText(/Red|Green|Blue|Grey/);
    seen.add(await colour.innerText());
    if (at < 4) await page.keyboard.press(at % 2 === 0 ? 'Alt+ArrowDown' : 'j');
  }
  expect([...seen].sort()).toEqual(['Blue.', 'Green.', 'Grey.', 'Red.']);

  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForURL(new RegExp(question));
  await page.keyboard.press('e');
  const editor = page.getByRole('textbox', { name: 'Text of the message' });
  await editor.fill('A number?');
  await page.keyboard.press('Control+Enter');
  await messages(page, 'assistant').getByText('Seven.').waitFor();
  await messages(page, 'user').getByText('A number?').waitFor();
  await messages(page, 'user').getByText('2/2').waitFor();
});

test('another provider goes on, and what could not be carried is said', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', {
    blocks: [
      { type: 'thinking', text: 'They want a city.' },
      { type: 'text', text: 'Lisbon.' },
    ],
  });
  emulator.script('google-generatecontent', says('Then take the tram.'));
  const page = await open('/new');
  await send(page, 'Where to?');
  await messages(page, 'assistant').getByText('Lisbon.').waitFor();
  await choose(page, 'google/gemini-2.5-pro');
  await page.getByText(/cannot be carried to google/).waitFor();
  await send(page, 'And there?');
  await messages(page, 'assistant').getByText('Then take the tram.').waitFor();
  const losses = messages(page, 'assistant').getByText(/could not be carried to google/);
  await losses.waitFor();
  await losses.click();
  await page
    .getByText(/reasoning|thought/i)
    .first()
    .waitFor();
});

test('a tool asks before it runs, and the answer follows when it may', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] },
    says('Mild, then.'),
  ]);
  const page = await open('/new');
  await page.getByRole('button', { name: /^Tools:/ }).click();
  await page.getByRole('checkbox', { name: /get_weather/ }).check();
  await page.keyboard.press('Escape');
  await send(page, 'Coat?');
  const approval = page.getByRole('region', { name: 'Approval' });
  await approval.getByText('Oslo').waitFor();
  await approval.getByRole('button', { name: 'Approve', exact: true }).click();
  await messages(page, 'assistant').getByText('Mild, then.').waitFor();
  await page
    .getByText(/It is 19 °C in Oslo/)
    .first()
    .waitFor();
});

test('a changed system text starts a branch, and says so', async () => {
  const { open, emulator, forest } = await startApp();
  emulator.script('anthropic-messages', says('Short.'));
  const page = await open('/new');
  await page.getByRole('button', { name: 'set a system text' }).click();
  await page.getByRole('textbox', { name: /System text/ }).fill('Be brief.');
  await send(page, 'Hello?');
  await messages(page, 'assistant').getByText('Short.').waitFor();
  await messages(page, 'system').getByRole('button', { name: 'Edit as a branch' }).click();
  await page.getByRole('textbox', { name: 'System text' }).fill('Be long.');
  await page.getByText(/starts a new branch/).waitFor();
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await page.getByText('Be long.').first().waitFor();
  await messages(page, 'assistant').getByText('Short.').waitFor();
  const tops = async () => (await forest.children('root')).items.map(({ message }) => message.content);
  await expect.poll(tops).toMatchObject([[{ text: 'Be brief.' }], [{ text: 'Be long.' }]]);
});

test('a provider that fails is shown with its words, and asked again on demand', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', [{ error: { status: 400, message: 'No such luck.' } }, says('This time.')]);
  const page = await open('/new');
  await send(page, 'Again?');
  await page
    .getByRole('alert')
    .getByText(/No such luck/)
    .waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await messages(page, 'assistant').getByText('This time.').waitFor();
});
