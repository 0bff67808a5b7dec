/** What others do shows in open pages: the proxy, a second page, a reload in the middle of an answer. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { inChromium, startApp } from './kit.ts';

inChromium();

function createSignal(): { readonly given: Promise<void>; give(): void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

test('a call through the proxy appears while the list is open, and opens where it landed', async () => {
  const { open, url, emulator } = await startApp();
  emulator.script('openai-chat', says('Recorded.'));
  const page = await open('/recordings');
  await page
    .getByText(/OPENAI_BASE_URL/)
    .first()
    .waitFor();
  const client = new OpenAI({ apiKey: 'sk-any', baseURL: `${url}/proxy/openai/v1`, maxRetries: 0 });
  await client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Note this.' }] });
  await page
    .getByRole('main')
    .getByRole('link', { name: /Note this/ })
    .click();
  await page.getByRole('link', { name: 'Open in the conversation' }).click();
  await page.waitForURL(/\/t\/[\w.:-]+\/[0-9a-f]{40}$/);
  await page.getByRole('article', { name: 'assistant message' }).getByText('Recorded.').waitFor();
});

test('a call through the gateway shows both sides, and what was lost between them', async () => {
  const { open, url, emulator } = await startApp();
  emulator.script('anthropic-messages', says('Answered by Claude.'));
  const client = new OpenAI({ apiKey: 'skein', baseURL: `${url}/gateway/openai/v1`, maxRetries: 0 });
  await client.chat.completions.create({
    model: 'anthropic/claude-sonnet-4-5',
    messages: [{ role: 'user', content: 'Who are you?' }],
    seed: 7,
  });
  const page = await open('/recordings');
  await page
    .getByRole('main')
    .getByRole('link', { name: /Who are you/ })
    .click();
  const detail = page.getByRole('tablist', { name: 'Parts of the recording' });
  await detail.getByRole('tab', { name: 'Sent on' }).click();
  await page
    .getByRole('tabpanel')
    .getByText(/"max_tokens"/)
    .first()
    .waitFor();
  await detail.getByRole('tab', { name: 'Got back' }).click();
  await page
    .getByRole('tabpanel')
    .getByText(/"stop_reason"/)
    .first()
    .waitFor();
  await detail.getByRole('tab', { name: 'Lost' }).click();
  await page
    .getByRole('tabpanel')
    .getByText(/params\.seed|seed/)
    .first()
    .waitFor();
  await page.getByText('1 thing lost').waitFor();
});

test('two open pages stay in step, also while an answer streams', async () => {
  const { open, emulator, gate } = await startApp();
  emulator.script('anthropic-messages', [
    says('The first answer.'),
    says('Seen by both of them.', { pieces: 4, chunkDelay: 1 }),
  ]);
  const one = await open('/new');
  await one.getByRole('textbox', { name: 'Message' }).fill('Begin.');
  await one.keyboard.press('Control+Enter');
  await one.getByRole('article', { name: 'assistant message' }).getByText('The first answer.').waitFor();
  const two = await open(new URL(one.url()).pathname);
  await two.getByRole('article', { name: 'assistant message' }).getByText('The first answer.').waitFor();

  gate.shut();
  await one.getByRole('textbox', { name: 'Message' }).fill('Go on.');
  await one.keyboard.press('Control+Enter');
  await gate.reached();
  await two.getByRole('article', { name: 'user message' }).getByText('Go on.').waitFor();
  await two.getByRole('article', { name: 'growing message' }).waitFor();
  gate.open();
  for (const page of [one, two])
    await page.getByRole('article', { name: 'assistant message' }).getByText('Seen by both of them.').waitFor();
});

test('a branch that is deleted in one page is not shown as alive in another, nor written into', async () => {
  const { open, forest } = await startApp();
  const head = await forest.append('root', [
    user('Begin.'),
    assistant('An answer.'),
    user('And?'),
    assistant('Enough.'),
  ]);
  await forest.threads.create({ head });
  const [one, two] = [await open(`/c/${head}`), await open(`/c/${head}`)];
  const input = two.getByRole('textbox', { name: 'Message' });
  // Within the message: the inspector shows the same text a moment later.
  for (const page of [one, two])
    await page.getByRole('article', { name: 'assistant message' }).getByText('Enough.').waitFor();
  await one.keyboard.press('k');
  await one.keyboard.press('k');
  await one.keyboard.press('x');
  await one.getByRole('button', { name: 'Delete', exact: true }).click();
  await two.getByText('This branch was deleted.').waitFor();
  await input.waitFor({ state: 'detached' });
  await two.getByRole('article', { name: 'assistant message' }).getByText('Enough.').waitFor();
  await two.getByRole('button', { name: 'Restore' }).click();
  await two.getByText('This branch was deleted.').waitFor({ state: 'detached' });
  await input.waitFor();
});

test('a branch that is deleted before a page listens for changes is not shown as alive in it', async () => {
  const { open, forest, url } = await startApp();
  const head = await forest.append('root', [user('Begin.'), assistant('Enough.')]);
  const page = await open('/');
  const silence = createSignal();
  await page.route('**/api/v1/changes*', async (route) => {
    await silence.given;
    await route.continue();
  });
  await page.goto(`${url}/c/${head}`);
  await page.getByRole('article', { name: 'assistant message' }).getByText('Enough.').waitFor();
  await forest.remove(head);
  silence.give();
  await page.getByText('This branch was deleted.').waitFor();
});

test('an answer from before a deletion that arrives after it does not show the branch as alive', async () => {
  const { open, forest, url } = await startApp();
  const head = await forest.append('root', [user('Begin.'), assistant('Enough.')]);
  const page = await open('/');
  await page.addInitScript(() => {
    const events: string[] = [];
    Object.assign(window, { events });
    const follow = EventSource.prototype.addEventListener;
    EventSource.prototype.addEventListener = function (this: EventSource, type: string, ...rest: [never]) {
      if (type !== 'open' && type !== 'error') follow.call(this, type, () => events.push(type));
      follow.call(this, type, ...rest);
    };
  });
  const [asked, held] = [createSignal(), createSignal()];
  await page.route(
    `**/api/v1/nodes/${head}/path*`,
    async (route) => {
      const response = await route.fetch();
      asked.give();
      await held.given;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await page.goto(`${url}/c/${head}`);
  await expect.poll(() => page.evaluate('events')).toContain('start');
  await asked.given;
  await forest.remove(head);
  await expect.poll(() => page.evaluate('events')).toContain('changes');
  held.give();
  await page.getByText('This branch was deleted.').waitFor();
});

test('an answer stays on screen when its end arrives before its message is loaded', async () => {
  const { open, emulator, gate } = await startApp();
  emulator.script('anthropic-messages', says('It stays where it is.', { pieces: 4, chunkDelay: 1 }));
  const page = await open('/new');
  gate.shut();
  await page.getByRole('textbox', { name: 'Message' }).fill('Slowly.');
  await page.keyboard.press('Control+Enter');
  await gate.pass(3);
  const text = page.getByRole('region', { name: 'Messages' }).getByText('It s');
  await text.waitFor();
  const drawn = await text.elementHandle();
  const loaded = createSignal();
  await page.route(/\/nodes\/[0-9a-f]{40}$/, async (route) => {
    await loaded.given;
    await route.continue();
  });
  // The page asks for it when it is told of the end.
  const ended = page.waitForResponse(/\/generations\/\w+$/);
  gate.open();
  await ended;
  const isDrawn = () => page.evaluate((element) => element?.isConnected, drawn);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(await isDrawn()).toBe(true);
  loaded.give();
  await page.getByRole('article', { name: 'assistant message' }).getByText('It stays where it is.').waitFor();
  expect(await isDrawn()).toBe(true);
});

test('a reload in the middle of an answer loses nothing of it', async () => {
  const { open, emulator, gate } = await startApp();
  const text = 'Long enough to be caught in the middle of its way.';
  emulator.script('anthropic-messages', says(text, { pieces: 10, chunkDelay: 1 }));
  const page = await open('/new');
  gate.shut();
  await page.getByRole('textbox', { name: 'Message' }).fill('Slowly.');
  await page.keyboard.press('Control+Enter');
  await gate.pass(4);
  await page.waitForURL(/\/t\//);
  const growing = page.getByRole('article', { name: 'growing message' });
  await growing.getByText('Long enough').waitFor();
  await page.reload();
  await growing.getByText('Long enough').waitFor();
  gate.open();
  await page.getByRole('article', { name: 'assistant message' }).getByText(text).waitFor();
  await expect.poll(() => page.getByRole('article', { name: 'assistant message' }).count()).toBe(1);
});
