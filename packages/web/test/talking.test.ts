/** Writing in a conversation: nothing that was typed is lost, and what went wrong can be tried again in place. */
import { says } from '@skein/emulator';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { composer, inChromium, messages, poet, startApp } from './kit.ts';

inChromium();

const form = (page: Page) => page.getByRole('form', { name: 'Composer' });

test('text that is typed while an answer streams is there when it ends, is stopped, or the page is loaded again', async () => {
  const { open, emulator, gate } = await startApp();
  const slow = says('One. Two. Three. Four.', { pieces: 4, chunkDelay: 1 });
  emulator.script('anthropic-messages', [slow, slow, slow, says('Last.')]);
  const page = await open('/new');
  gate.shut();
  await composer(page).fill('First?');
  await page.keyboard.press('Enter');
  await gate.pass(3);
  await page.getByRole('article', { name: 'growing message' }).getByText('One.').waitFor();
  await composer(page).fill('a thought of mine');
  gate.open();
  await messages(page, 'assistant').getByText('Four.').waitFor();
  await page.getByRole('article', { name: 'growing message' }).waitFor({ state: 'hidden' });
  expect(await composer(page).inputValue()).toBe('a thought of mine');

  // Stopped, after the page was loaded again in the middle.
  gate.shut();
  await composer(page).fill('Second?');
  await page.keyboard.press('Enter');
  await gate.pass(3);
  await page.getByRole('article', { name: 'growing message' }).getByText('One.').waitFor();
  await composer(page).fill('another thought');
  await page.reload();
  await page.getByRole('article', { name: 'growing message' }).getByText('One.').waitFor();
  expect(await composer(page).inputValue()).toBe('another thought');
  await form(page).getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped. What had arrived is kept.').waitFor();
  gate.open();
  expect(await composer(page).inputValue()).toBe('another thought');

  // Sent while an answer grows, a message waits for its end.
  await composer(page).fill('');
  gate.shut();
  await page.getByRole('button', { name: 'Resume' }).click();
  await gate.pass(3);
  await page.getByRole('article', { name: 'growing message' }).getByText('One.').waitFor();
  await composer(page).fill('Queued?');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Queued messages' }).getByText('Queued?').waitFor();
  expect(await composer(page).inputValue()).toBe('');
  gate.open();
  await messages(page, 'user').getByText('Queued?').waitFor();
  await messages(page, 'assistant').getByText('Last.').waitFor();
  expect(await page.getByRole('list', { name: 'Queued messages' }).count()).toBe(0);
});

test('with a key and no configured model the usual one answers, and what is refused can be tried again in place', async () => {
  const { open, emulator } = await startApp({ model: undefined } as object);
  emulator.script('anthropic-messages', [says('Usual.'), says('Second try.')]);
  // The unknown provider is refused.
  const page = await open('/new', { troubles: /422/ });
  await form(page).getByRole('button', { name: 'Model: anthropic/claude-sonnet-5' }).waitFor();
  await composer(page).fill('Who answers?');
  await page.keyboard.press('Enter');
  await messages(page, 'assistant').getByText('Usual.').waitFor();

  await form(page)
    .getByRole('button', { name: /^Model:/ })
    .click();
  // The first opening loads the list, and its field has the focus.
  await page.locator('input[placeholder="Search, or type provider/model"]:focus').waitFor();
  await page.keyboard.type('nowhere/model');
  await page.keyboard.press('Enter');
  await composer(page).fill('And now?');
  await page.keyboard.press('Enter');
  const refused = page.getByRole('alert').filter({ hasText: 'Your message is kept' });
  await refused.getByText(/nowhere/).waitFor();
  await messages(page, 'user').getByText('And now?').waitFor();
  await form(page)
    .getByRole('button', { name: /^Model:/ })
    .click();
  await page.getByPlaceholder('Search, or type provider/model').fill('anthropic/claude-sonnet-4-5');
  await page.keyboard.press('Enter');
  await refused.getByRole('button', { name: 'Try again' }).click();
  await messages(page, 'assistant').getByText('Second try.').waitFor();
});

test('without any model the message stays in the field and a model is asked for', async () => {
  const { open } = await startApp({ model: undefined, env: {} } as object);
  const page = await open('/new');
  await form(page).getByRole('button', { name: 'Model: none' }).waitFor();
  await composer(page).fill('Anyone?');
  await page.keyboard.press('Enter');
  await page.locator('input[placeholder="Search, or type provider/model"]:focus').waitFor();
  expect(await composer(page).inputValue()).toBe('Anyone?');
});

test('a refusal is marked, a retry counts down, a bookmark has the words, and nothing grows below a deleted message', async () => {
  const { open, emulator, gate, forest } = await startApp();
  emulator.script('anthropic-messages', [
    { blocks: [{ type: 'text', text: 'I would **rather** not.' }], stop: 'refusal' },
    { error: { status: 529 }, retryAfter: { seconds: 1 } },
    says('# After all\n\n**Gladly.**', { chunkDelay: 1 }),
  ]);
  const page = await open('/new');
  await composer(page).fill('Would you?');
  await page.keyboard.press('Enter');
  await messages(page, 'assistant').getByText('The model declined to answer.').waitFor();

  gate.shut();
  await composer(page).fill('Again?');
  await page.keyboard.press('Enter');
  await page.getByText(/^Retrying in \d+ s: /).waitFor();
  gate.open();
  await messages(page, 'assistant').getByText('Gladly.').waitFor();
  await composer(page).blur();
  await page.keyboard.press('b');
  await messages(page, 'assistant').last().getByLabel('Bookmarked').waitFor();
  const [bookmark] = (await forest.bookmarks.list()).items;
  expect(bookmark?.title).toBe('After all Gladly.');
  await page.keyboard.press('b');
  await messages(page, 'assistant').last().getByLabel('Bookmarked').waitFor({ state: 'hidden' });

  const deleted = page.url();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL((url) => url.href !== deleted);
  await page.goto(deleted);
  await page.getByText('This branch was deleted.').waitFor();
  const before = emulator.log.length;
  await page.keyboard.press('g');
  await page.getByText('This message was deleted. Restore it first.').waitFor();
  await page.keyboard.press('e');
  expect(await page.getByRole('textbox', { name: 'Text of the message' }).count()).toBe(0);
  expect(emulator.log.length).toBe(before);
});

test('prompts with variables, tools by @, several models at once, and words found in the conversation, by keys alone', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', says('From **Claude**, about weaving.'));
  emulator.script('google-generatecontent', says('From Gemini, about weaving.'));
  const page = await open('/new');
  await composer(page).focus();
  await page.keyboard.type('@get');
  await page.getByRole('option', { name: /get_weather/ }).waitFor();
  await page.keyboard.press('Enter');
  await form(page).getByRole('button', { name: 'Tools: 1 chosen' }).waitFor();
  expect(await composer(page).inputValue()).toBe('');
  await page.keyboard.type('/expl');
  await page.getByRole('option', { name: /explain/ }).waitFor();
  await page.keyboard.press('Enter');
  const asked = page.getByRole('dialog', { name: '/explain' });
  await asked.getByRole('textbox', { name: 'topic' }).waitFor();
  await page.keyboard.type('weaving');
  await page.keyboard.press('Tab');
  await page.keyboard.type('knots');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => composer(page).inputValue())
    .toBe('Explain weaving to somebody who knows knots. Begin with an example.');

  await form(page)
    .getByRole('button', { name: /^Ways to send/ })
    .press('Enter');
  const ways = page.getByRole('dialog', { name: 'Ways to send' });
  await ways.getByRole('button', { name: 'Another model' }).press('Enter');
  await page.locator('input[placeholder="Search, or type provider/model"]:focus').waitFor();
  await page.keyboard.type('google/gemini-2.5-pro');
  await page.keyboard.press('Enter');
  await ways.getByRole('button', { name: 'Send for 2 answers' }).press('Enter');
  await page.getByRole('group', { name: 'Branches' }).getByText('/2').waitFor();
  await page.getByRole('article', { name: 'growing message' }).waitFor({ state: 'hidden' });
  await expect.poll(() => emulator.log.length).toBe(2);

  await composer(page).blur();
  await page.keyboard.press('f');
  await page.getByRole('textbox', { name: 'Find in this conversation' }).waitFor();
  await page.keyboard.type('weaving');
  await page.getByRole('status').getByText('1/2').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('2/2').waitFor();
  // The page marks the words after it has drawn their count.
  await expect.poll(() => page.evaluate("CSS.highlights.get('found')?.size")).toBe(2);
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Find in this conversation' }).waitFor({ state: 'hidden' });
});

test('Enter right after a word takes the whole word, also before the browser has told where the caret is', async () => {
  const { open } = await startApp();
  const page = await open('/new');
  await composer(page).focus();
  await page.evaluate("addEventListener('selectionchange', (event) => event.stopImmediatePropagation(), true)");
  await page.keyboard.type('@get');
  await page.getByRole('option', { name: /get_weather/ }).waitFor();
  await page.keyboard.press('Enter');
  await form(page).getByRole('button', { name: 'Tools: 1 chosen' }).waitFor();
  expect(await composer(page).inputValue()).toBe('');
});

test('Enter in the moment in which a word is found goes to the second place', async () => {
  const { open, emulator } = await startApp();
  emulator.script('anthropic-messages', says('The warp, and the warp again, but no wart.'));
  const page = await open('/new');
  await composer(page).fill('Two words');
  await page.keyboard.press('Enter');
  await messages(page, 'assistant').getByText('The warp, and the warp again, but no wart.').waitFor();
  await page.getByRole('article', { name: 'growing message' }).waitFor({ state: 'hidden' });
  await composer(page).blur();
  await page.keyboard.press('f');
  await page.getByRole('textbox', { name: 'Find in this conversation' }).waitFor();
  // Between the drawing of the count and the effects of that drawing, which come in a task of their own. Only the last letter
  // leaves two places.
  await page.evaluate(`{
    const status = document.querySelector('search [role=status]');
    const observer = new MutationObserver(() => {
      if (status.textContent !== '1/2') return;
      observer.disconnect();
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    });
    observer.observe(status, { childList: true, characterData: true, subtree: true });
  }`);
  // All at once: "wa" is in two places as well, and the rest of a word that is typed begins at the first one again.
  await page.keyboard.insertText('warp');
  await page.getByRole('status').getByText('2/2').waitFor();
});

test('a prompt and the default model are kept on the server, for every browser, by keys alone', async () => {
  const { open, forest } = await startApp();
  const page = await open('/new');
  await composer(page).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('prompts');
  await page.getByRole('option', { name: 'Prompts' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'New prompt' }).press('Enter');
  await page.getByRole('textbox', { name: 'Name' }).fill('Greet us');
  await page.getByRole('textbox', { name: /^Text/ }).fill('Say hello.');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('/greet-us').waitFor();
  await page.keyboard.press('Escape');

  const pick = async (words: string) => {
    await form(page)
      .getByRole('button', { name: /^Model:/ })
      .press('Enter');
    await page.locator('input[placeholder="Search, or type provider/model"]:focus').waitFor();
    await page.keyboard.type(words);
  };
  await pick('google/gemini-2.5-pro');
  await page.keyboard.press('Enter');
  await pick('');
  await page.getByRole('option', { name: 'Make the chosen model the default' }).click();
  await page.getByText('google/gemini-2.5-pro answers new conversations from now on.').waitFor();
  expect(await forest.library.model()).toBe('google/gemini-2.5-pro');

  const other = await open('/new');
  await form(other).getByRole('button', { name: 'Model: google/gemini-2.5-pro' }).waitFor();
  await composer(other).focus();
  await other.keyboard.type('/greet');
  await other.getByRole('option', { name: /greet-us/ }).waitFor();
  await other.keyboard.press('Enter');
  await expect.poll(() => composer(other).inputValue()).toBe('Say hello.');
});

test('a new conversation offers agents and tests a key, which stays on the server', async () => {
  const { open, emulator } = await startApp(poet);
  emulator.script('anthropic-messages', [{ error: { status: 401 } }, says('hello')]);
  const page = await open('/new');
  const card = page.getByRole('region', { name: 'Agents' }).getByRole('button', { name: /Poet/ });
  await card.click();
  expect(await card.getAttribute('aria-pressed')).toBe('true');
  await form(page).getByRole('button', { name: 'Agent: Poet' }).waitFor();
  await page.getByRole('button', { name: /providers have a key/ }).click();
  const row = page
    .getByRole('list', { name: 'Providers with a key' })
    .getByRole('listitem')
    .filter({ hasText: /^anthropic/ });
  await row.getByRole('button', { name: 'Test the key' }).first().click();
  await row
    .first()
    .getByText(/401|key|auth/i)
    .first()
    .waitFor();
  await row.getByRole('button', { name: 'Test the key' }).first().click();
  await row
    .first()
    .getByText(/answered in/)
    .waitFor();
  expect(await page.content()).not.toContain('sk-emulator');
});
