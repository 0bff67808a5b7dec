/** What was written and not sent yet survives whatever happens to the page, its tabs and the server. */
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type App, composer, inChromium, messages, program, startApp } from './kit.ts';

inChromium();

const troubles = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const growing = (page: Page) => page.getByRole('article', { name: 'growing message' });
const queue = (page: Page) => page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem');
const attached = (page: Page) => page.getByRole('list', { name: 'Attachments' }).getByRole('listitem');

const attach = (page: Page, name: string, mimeType: string, bytes: Buffer) =>
  page.getByLabel('Files to attach').setInputFiles({ name, mimeType, buffer: bytes });

/** Asks a question whose answer says a word and waits then. */
async function beginAnswer(page: Page, { gate }: App, question: string): Promise<void> {
  gate.shut();
  await composer(page).fill(question);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await gate.pass(3);
  await growing(page).getByText('One.').waitFor();
}

const slow = says('One. Two. Three. Four.', { pieces: 4, chunkDelay: 1 });

test('what is written in one tab shows in another, which sends nothing of the queue a second time', async () => {
  const app = await startApp();
  app.emulator.script('anthropic-messages', [slow, says('Next.')]);
  const one = await app.open('/new');
  await beginAnswer(one, app, 'Begin.');
  const two = await one.context().newPage();
  await two.goto(one.url());
  await growing(two).getByText('One.').waitFor();
  await composer(one).fill('a thought');
  await expect.poll(() => composer(two).inputValue()).toBe('a thought');
  await composer(two).fill('a thought of mine');
  await expect.poll(() => composer(one).inputValue()).toBe('a thought of mine');
  await one.keyboard.press('Enter');
  await composer(one).press('Enter');
  await queue(two).getByText('a thought of mine').waitFor();
  await expect.poll(() => composer(two).inputValue()).toBe('');
  app.gate.open();
  for (const page of [one, two]) {
    await messages(page, 'assistant').getByText('Next.').waitFor();
    await expect.poll(() => queue(page).count()).toBe(0);
  }
  const { head } = (await app.forest.threads.list()).items[0]!;
  const path = await app.forest.path(head);
  expect(path.map(({ message }) => message.text)).toEqual([
    'Begin.',
    'One. Two. Three. Four.',
    'a thought of mine',
    'Next.',
  ]);
  expect((await app.forest.children(path[2]!.id)).items).toHaveLength(1);
  expect(app.emulator.log).toHaveLength(2);
});

test('a hidden tab does not send the queue behind an answer that another tab has gone on from', async () => {
  const app = await startApp();
  app.emulator.script('anthropic-messages', [says('First.'), slow, says('Next.')]);
  const one = await app.open('/new');
  await composer(one).fill('Begin.');
  await one.keyboard.press('Enter');
  await messages(one, 'assistant').getByText('First.').waitFor();
  const two = await one.context().newPage();
  await two.goto(one.url());
  await messages(two, 'assistant').getByText('First.').waitFor();
  await two.evaluate(`Object.defineProperty(document, 'hidden', { value: true });
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));`);
  await beginAnswer(one, app, 'Go on.');
  await composer(one).fill('Queued.');
  await composer(one).press('Enter');
  await queue(one).getByText('Queued.').waitFor();
  // It looks whether others have gone on.
  await messages(two, 'user').getByText('Go on.').waitFor();
  app.gate.open();
  await messages(one, 'assistant').getByText('Next.').waitFor();
  const { head } = (await app.forest.threads.list()).items[0]!;
  const path = await app.forest.path(head);
  expect(path.map(({ message }) => message.text)).toEqual([
    'Begin.',
    'First.',
    'Go on.',
    'One. Two. Three. Four.',
    'Queued.',
    'Next.',
  ]);
  expect((await app.forest.children(path[1]!.id)).items).toHaveLength(1);
});

test('files that are attached, and those of a queued message, are there when the page is loaded again, and are sent', async () => {
  const app = await startApp();
  const { open, forest, emulator } = app;
  emulator.script('anthropic-messages', [slow, says('Seen.')]);
  const page = await open('/new');
  // More than the storage of texts takes.
  const large = Buffer.alloc(4_200_000, 7);
  await attach(page, 'tile.png', 'image/png', large);
  await attached(page).getByText('tile.png').waitFor();
  await composer(page).fill('What is this?');
  await expect.poll(() => page.evaluate(`localStorage.getItem('skein.files.new')`)).toContain('tile.png');
  await page.reload();
  await attached(page).getByText('tile.png').waitFor();
  expect(await composer(page).inputValue()).toBe('What is this?');
  await attached(page).locator('img').waitFor();

  await beginAnswer(page, app, 'Look.');
  await attach(page, 'notes.txt', 'text/plain', Buffer.from('Warp and weft.'));
  await attached(page).getByText('notes.txt').waitFor();
  await composer(page).fill('And these?');
  await page.getByRole('button', { name: 'Queue', exact: true }).click();
  await queue(page).getByText('notes.txt').waitFor();
  await page.reload();
  await queue(page).getByText('notes.txt').waitFor();
  // Taken back, it has its file again.
  await queue(page).getByRole('button', { name: 'Edit this queued message' }).click();
  await attached(page).getByText('notes.txt').waitFor();
  expect(await composer(page).inputValue()).toBe('And these?');
  await page.getByRole('button', { name: 'Queue', exact: true }).click();
  app.gate.open();
  await messages(page, 'assistant').getByText('Seen.').waitFor();
  const { head } = (await forest.threads.list()).items[0]!;
  const [first, , third] = (await forest.path(head)).map(({ message }) => message);
  expect(first!.content[0]).toMatchObject({ type: 'media', source: { data: large.toString('base64') } });
  expect(third!.text).toContain('Warp and weft.');
  expect(third!.text).toContain('And these?');
  const left = await page.evaluate(
    () =>
      new Promise((resolve) => {
        indexedDB.open('skein').onsuccess = ({ target }) => {
          const { result } = target as IDBOpenDBRequest;
          const count = result.transaction('files').objectStore('files').count();
          count.onsuccess = () => resolve(count.result);
        };
      }),
  );
  expect(left, 'files that were sent are not kept').toBe(0);
});

test('a message whose way to the server was cut by a reload is in the field again', async () => {
  const { open, forest } = await startApp();
  const { id } = await forest.threads.begin([user('Hi'), assistant('Hello.')]);
  const page = await open(`/t/${id}`, { troubles: /ERR_FAILED/ });
  await messages(page, 'assistant').getByText('Hello.').waitFor();
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  // The server hears nothing of it.
  await page.route(/\/nodes\/\w+\/messages$/, () => isAsked(), { times: 1 });
  await composer(page).fill('Do you hear me?');
  await page.keyboard.press('Enter');
  await asked;
  await expect.poll(() => composer(page).inputValue()).toBe('');
  await composer(page).fill('And this?');
  await page.reload();
  await messages(page, 'assistant').getByText('Hello.').waitFor();
  expect(await composer(page).inputValue()).toBe('Do you hear me?\nAnd this?');
});

test('text that is typed while a message forks a recorded conversation goes along into the fork', async () => {
  const app = await startApp();
  await program(app)({ messages: [{ role: 'user', content: 'Hi' }] }, says('Where does it hurt?'));
  const [recorded] = (await app.forest.threads.list()).items;
  const page = await app.open(`/t/${recorded!.id}`);
  await messages(page, 'assistant').getByText('Where does it hurt?').waitFor();
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(/\/nodes\/\w+\/messages$/, async (route) => {
    await held;
    await route.continue();
  });
  app.emulator.script('anthropic-messages', says('Rest it.'));
  await composer(page).fill('My arm');
  await page.keyboard.press('Enter');
  await expect.poll(() => composer(page).inputValue()).toBe('');
  await page.keyboard.type('and my ');
  letGo();
  await page.getByRole('note').getByText('Fork of').waitFor();
  await page.keyboard.type('leg');
  await messages(page, 'assistant').getByText('Rest it.').waitFor();
  expect(await composer(page).inputValue()).toBe('and my leg');
  await page.goto(new URL(`/t/${recorded!.id}`, page.url()).href);
  await messages(page, 'assistant').getByText('Where does it hurt?').waitFor();
  expect(await composer(page).inputValue()).toBe('');
});

test('a killed server loses neither the draft nor the queue, which is sent when its answer is complete', async () => {
  const app = await startApp();
  app.emulator.script('anthropic-messages', [slow, says('All of it.'), says('Next.')]);
  const first = await app.open('/new', { troubles });
  await beginAnswer(first, app, 'Begin.');
  await composer(first).fill('Queued.');
  await composer(first).press('Enter');
  await queue(first).getByText('Queued.').waitFor();
  await composer(first).fill('Half a sentence');
  // Closed, so that it does not hear how this server ends in truth.
  await first.close();
  await app.stop({ crashes: true });
  await app.start();
  app.gate.open();
  const page = await first.context().newPage();
  await page.goto(first.url());
  await page.getByText('Stopped. What had arrived is kept.').waitFor();
  await queue(page).getByText('Queued.').waitFor();
  expect(await composer(page).inputValue()).toBe('Half a sentence');
  await page.getByRole('button', { name: 'Resume' }).click();
  await messages(page, 'assistant').getByText('All of it.').waitFor();
  await messages(page, 'user').getByText('Queued.').waitFor();
  await messages(page, 'assistant').getByText('Next.').waitFor();
  await expect.poll(() => queue(page).count()).toBe(0);
  expect(await composer(page).inputValue()).toBe('Half a sentence');
});

test('a queued message that the server did not take is sent when it is there again', async () => {
  const app = await startApp();
  app.emulator.script('anthropic-messages', [slow, says('Next.')]);
  const page = await app.open('/new', { troubles });
  await beginAnswer(page, app, 'Begin.');
  await composer(page).fill('Queued.');
  await composer(page).press('Enter');
  await queue(page).getByText('Queued.').waitFor();
  // The answer ends, and the server goes before it is told of the message.
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  await page.route(
    /\/nodes\/\w+\/messages$/,
    async (route) => {
      await app.stop();
      await route.abort('connectionrefused');
      isAsked();
    },
    { times: 1 },
  );
  app.gate.open();
  await asked;
  await page.getByText(/What you see may be old/).waitFor();
  await queue(page).getByText('Queued.').waitFor();
  await app.start();
  await messages(page, 'assistant').getByText('Next.').waitFor();
  await expect.poll(() => queue(page).count()).toBe(0);
});

test('an edit, a system text and the prompt of Compare that were not saved are there again', async () => {
  const { open, forest } = await startApp();
  const { id, head } = await forest.threads.begin([user('Helo?'), assistant('Hello.')]);
  const page = await open(`/t/${id}`);
  const editor = page.getByRole('textbox', { name: 'Text of the message' });
  const edit = async () => {
    await messages(page, 'user').getByText('Helo?').click();
    await page.keyboard.press('e');
    await editor.waitFor();
  };
  await edit();
  await editor.fill('Hello, who');
  await page.keyboard.press('Escape');
  await editor.waitFor({ state: 'hidden' });
  await page.reload();
  await edit();
  expect(await editor.inputValue()).toBe('Hello, who');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await edit();
  expect(await editor.inputValue(), 'what was cancelled').toBe('Helo?');
  await page.keyboard.press('Escape');

  const openSystem = async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Add a system text');
    await page.getByRole('option', { name: 'Add a system text', selected: true }).waitFor();
    await page.keyboard.press('Enter');
  };
  await openSystem();
  const system = page.getByRole('dialog').getByRole('textbox', { name: 'System text' });
  await system.fill('Be brief.');
  await page.keyboard.press('Escape');
  await system.waitFor({ state: 'hidden' });
  await page.reload();
  await messages(page, 'user').waitFor();
  await openSystem();
  expect(await system.inputValue()).toBe('Be brief.');

  await page.goto(new URL(`/compare?nodes=${head}`, page.url()).href);
  await page.getByRole('textbox', { name: 'Prompt' }).fill('Who are');
  await page.reload();
  await expect.poll(() => page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe('Who are');
});

test('on a phone a draft survives a tap on another conversation, and a reload', async () => {
  const { open, forest } = await startApp();
  for (const title of ['Wool', 'Linen'])
    await forest.threads.begin([user(`On ${title}`), assistant('Well.')], { title });
  const page = await open('/', PHONE);
  const row = (title: string) => page.getByRole('main').getByRole('link', { name: title, exact: true });
  await row('Wool').tap();
  await messages(page, 'user').getByText('On Wool').waitFor();
  await composer(page).tap();
  await page.keyboard.type('From a');
  await page.keyboard.press('Enter');
  await page.keyboard.type('phone');
  await page.getByRole('button', { name: 'Show the forest' }).tap();
  await page.getByRole('navigation', { name: 'Forest' }).getByRole('link', { name: 'Linen' }).tap();
  await messages(page, 'user').getByText('On Linen').waitFor();
  expect(await composer(page).inputValue()).toBe('');
  await page.goBack();
  await messages(page, 'user').getByText('On Wool').waitFor();
  await page.reload();
  await messages(page, 'user').getByText('On Wool').waitFor();
  expect(await composer(page).inputValue()).toBe('From a\nphone');
});

test('on a page that another machine reads over plain HTTP, messages are queued and texts are copied', async () => {
  const app = await startApp();
  app.emulator.script('anthropic-messages', [slow, says('Next.')]);
  const page = await app.open('/new', { permissions: ['clipboard-read', 'clipboard-write'] });
  const read = await page.context().newPage();
  await read.goto(app.url);
  // What a browser takes from such a page.
  await page.addInitScript(() => {
    Reflect.deleteProperty(Crypto.prototype, 'randomUUID');
    for (const name of ['clipboard', 'locks']) Reflect.deleteProperty(Navigator.prototype, name);
  });
  await page.reload();
  expect(await page.evaluate('crypto.randomUUID ?? navigator.clipboard ?? navigator.locks')).toBeUndefined();
  await beginAnswer(page, app, 'Begin.');
  await composer(page).fill('Queued.');
  await composer(page).press('Enter');
  await queue(page).getByText('Queued.').waitFor();
  app.gate.open();
  const answer = messages(page, 'assistant').filter({ hasText: 'Next.' });
  await answer.hover();
  await answer.getByRole('button', { name: 'Copy text' }).click();
  await page.getByText('The text was copied.').waitFor();
  await read.bringToFront();
  await expect.poll(() => read.evaluate('navigator.clipboard.readText()')).toBe('Next.');
});
