/** What is seldom done, and what goes wrong at the edges. */
import { user } from '@skein/core';
import { says } from '@skein/emulator';
import { seedSample } from '@skein/server';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type App, inChromium, startApp } from './kit.ts';

inChromium();

const articles = (page: Page, role: string) => page.getByRole('article', { name: `${role} message` });

async function choose(page: Page, message: Locator, item: string): Promise<void> {
  await message.hover();
  await message.getByRole('button', { name: 'More to do with this message' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Sends a first message to a model that may call `get_weather`. */
async function askWithTool(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: /^Tools:/ }).click();
  await page.getByRole('checkbox', { name: /get_weather/ }).check();
  await page.keyboard.press('Escape');
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Control+Enter');
}

/** A conversation in which user and assistant take turns; gives back the ids of its messages. */
async function converse(app: App, ...texts: readonly string[]): Promise<readonly string[]> {
  const messages = texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content }));
  const { head } = await post<{ head: string }>(app, '/threads', { messages });
  return (await app.forest.path(head)).map(({ id }) => id);
}

async function post<T>({ url }: App, path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return answer.json() as Promise<T>;
}

async function reply(app: App, parent: string, content: string): Promise<string> {
  const messages = [{ role: 'assistant', content }];
  return (await post<{ id: string }>(app, `/nodes/${parent}/messages`, { messages })).id;
}

test('a message is split at the cursor, which keys move', async () => {
  const app = await startApp();
  const [, head] = await converse(app, 'First half. Second half.', 'An answer.');
  const page = await app.open(`/c/${head}`);
  await choose(page, articles(page, 'user'), 'Split in two');
  await page.getByRole('textbox', { name: 'Where to split' }).focus();
  await page.keyboard.press('Control+Home');
  for (let at = 0; at < 'First half. '.length; at++) await page.keyboard.press('ArrowRight');
  await page.getByText('The second one begins: Second half.').waitFor();
  await page.getByRole('button', { name: 'Split', exact: true }).click();
  await expect.poll(() => articles(page, 'user').count()).toBe(2);
  await articles(page, 'user').last().getByText('Second half.').waitFor();
  await articles(page, 'assistant').getByText('An answer.').waitFor();
});

test('whoever undoes the deletion of all other branches stays where they are', async () => {
  const app = await startApp();
  const [question, answer] = await converse(app, 'Which?', 'This one.');
  const other = await reply(app, question!, 'That one.');
  const page = await app.open(`/c/${answer}`);
  await articles(page, 'assistant').getByText('1/2').waitFor();
  await choose(page, articles(page, 'assistant'), 'Delete all but this path');
  await page.getByText(/One branch leaves/).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(async () => (await app.forest.node(other)).removed).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await articles(page, 'assistant').getByText('1/2').waitFor();
  expect(page.url()).toContain(answer);
});

test('the switcher of a message that is not selected goes to its sibling', async () => {
  const app = await startApp();
  const [question, answer] = await converse(app, 'Which?', 'This one.');
  await reply(app, question!, 'That one.');
  const page = await app.open(`/c/${answer}`);
  await articles(page, 'user').getByText('Which?').click();
  await page.waitForURL(new RegExp(question!));
  await articles(page, 'assistant').getByRole('button', { name: 'Next branch' }).click();
  await articles(page, 'assistant').getByText('That one.').waitFor();
  await articles(page, 'assistant').getByText('2/2').waitFor();
});

test('what was stopped before its first word can be resumed after a reload, beside other answers', async () => {
  const app = await startApp();
  const late = says('The late answer.', { chunkDelay: 1 });
  app.emulator.script('anthropic-messages', [late, late]);
  const [question, answer] = await converse(app, 'Which?', 'The early answer.');
  const page = await app.open(`/c/${answer}`);
  await articles(page, 'assistant').waitFor();
  app.gate.shut();
  await page.keyboard.press('g');
  await page.getByText('Waiting for the first word').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Stopped. What had arrived is kept.').waitFor();
  app.gate.open();
  await page.goto(`${app.url}/c/${question}`);
  await articles(page, 'assistant').getByText('The early answer.').waitFor();
  await articles(page, 'assistant').getByRole('button', { name: 'Next branch' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await articles(page, 'assistant').getByText('The late answer.').waitFor();
});

test('what is marked is compared at an address of its own', async () => {
  const app = await startApp();
  const [question, answer] = await converse(app, 'Which?', 'This one.');
  await reply(app, question!, 'That one.');
  const page = await app.open(`/c/${answer}`);
  await articles(page, 'assistant').getByText('1/2').waitFor();
  await page.keyboard.press('m');
  await page.keyboard.press('j');
  await articles(page, 'assistant').getByText('2/2').waitFor();
  await page.keyboard.press('m');
  await page.keyboard.press('c');
  await page.waitForURL(new RegExp(`/compare\\?nodes=${answer},`));
  await page.getByRole('button', { name: 'Remove column 2' }).click();
  await expect.poll(() => page.getByRole('region', { name: /^Branch/ }).count()).toBe(1);
  await page.getByRole('button', { name: 'Add a branch' }).click();
  await page.getByRole('menuitem', { name: /That one/ }).click();
  await page.getByRole('region', { name: 'Branch 2' }).getByText('That').waitFor();
});

test('text that runs from right to left does, also before what draws markdown has come', async () => {
  const app = await startApp();
  const [, head] = await converse(app, 'مرحبا؟', 'أهلا بك.');
  const page = await app.open('/');
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(/rendered-markdown.*\.js/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${app.url}/c/${head}`);
  const written = articles(page, 'assistant').getByText('أهلا بك.');
  const direction = () => written.evaluate((element) => getComputedStyle(element).direction);
  await written.and(page.locator('p.prose')).waitFor();
  expect(await direction()).toBe('rtl');
  letGo();
  await written.and(page.locator('div > p:not(.prose)')).waitFor();
  expect(await direction()).toBe('rtl');
});

test('an empty answer says that it is', async () => {
  const app = await startApp();
  const [, head] = await converse(app, 'Well?', '');
  const page = await app.open(`/c/${head}`);
  await articles(page, 'assistant').getByText('Nothing was said.').waitFor();
});

test('a system text is added to a conversation that has none, as a branch', async () => {
  const app = await startApp();
  const [question, answer] = await converse(app, 'Hello?', 'Hello.');
  const page = await app.open(`/c/${answer}`);
  await choose(page, articles(page, 'user'), 'Add a system text');
  await page
    .getByRole('dialog')
    .getByText(/starts a new branch/)
    .waitFor();
  await page.getByRole('textbox', { name: 'System text' }).fill('Be brief.');
  await page.getByRole('button', { name: 'Save' }).click();
  await articles(page, 'system').getByText('Be brief.').waitFor();
  await articles(page, 'assistant').getByText('Hello.').waitFor();
  await articles(page, 'system').getByRole('button', { name: 'Previous branch' }).click();
  await page.waitForURL(new RegExp(question!));
  await articles(page, 'system').waitFor({ state: 'hidden' });
});

test('an answer that was stopped stays stopped, however old the list of generations is', async () => {
  const { open, emulator, gate, url } = await startApp();
  emulator.script('anthropic-messages', says('The first half and the second.', { pieces: 15, chunkDelay: 1 }));
  const page = await open('/new');
  gate.shut();
  await page.getByRole('textbox', { name: 'Message' }).fill('Tell me.');
  await page.keyboard.press('Control+Enter');
  const growing = page.getByRole('article', { name: 'growing message' });
  await gate.pass(3);
  await growing.getByText('The first half').waitFor();
  const old = await (await fetch(`${url}/api/v1/generations`)).text();
  expect(old).toContain('"running"');
  await page.route(/\/generations\?/, (route) => route.fulfill({ contentType: 'application/json', body: old }));
  const listed = page.waitForResponse(/\/generations\?/);
  await page.keyboard.press('Escape');
  await articles(page, 'assistant').waitFor();
  await listed;
  await page.getByText('Stopped. What had arrived is kept.').waitFor();
  gate.open();
  await growing.and(page.locator('[aria-busy=false]')).waitFor();
});

test('of two calls one is denied with a reason, which the model is told; then all are approved at once', async () => {
  const { open, emulator } = await startApp();
  const ask = {
    blocks: ['Oslo', 'Rome'].map((city) => ({ type: 'tool-use' as const, name: 'get_weather', input: { city } })),
  };
  emulator.script('anthropic-messages', [ask, ask, says('Mild.')]);
  const page = await open('/new');
  await askWithTool(page, 'Coat?');
  const approval = page.getByRole('region', { name: 'Approval' });
  await approval.getByText('2 tools ask to run').waitFor();
  await approval.getByRole('button', { name: 'Approve', exact: true }).first().click();
  await approval.getByText('Approved', { exact: true }).waitFor();
  await approval.getByRole('textbox', { name: 'Why get_weather may not run' }).fill('Not Rome.');
  await page.keyboard.press('Enter');
  await page
    .getByText(/Not Rome\./)
    .first()
    .waitFor();
  await approval.getByRole('button', { name: 'Approve all' }).click();
  await articles(page, 'assistant').getByText('Mild.').waitFor();
  expect(emulator.log.map(({ body }) => String(body)).join()).toContain('Not Rome.');
});

test('a decision that could not be sent can be made again', async () => {
  const { open, emulator } = await startApp();
  const ask = { blocks: [{ type: 'tool-use' as const, name: 'get_weather', input: { city: 'Oslo' } }] };
  emulator.script('anthropic-messages', [ask, says('Mild.')]);
  const page = await open('/new', { troubles: /ERR_FAILED/ });
  await askWithTool(page, 'Coat?');
  const approve = page.getByRole('region', { name: 'Approval' }).getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  await page.route('**/resume', (route) => route.abort(), { times: 1 });
  await approve.click();
  await page
    .getByText(/The server cannot be reached/)
    .first()
    .waitFor();
  await approve.click();
  await articles(page, 'assistant').getByText('Mild.').waitFor();
});

test('a conversation opens at its end, on screens of any width, also where nothing may move', async () => {
  const app = await startApp();
  await seedSample(app.forest);
  const { items } = await app.forest.threads.list();
  const longest = items.find(({ title }) => title === 'A reading week in Lisbon')!;
  for (const width of [390, 1400])
    for (const reducedMotion of ['reduce', 'no-preference'] as const) {
      const page = await app.open(`/c/${longest.head}`, { viewport: { width, height: 844 }, reducedMotion });
      const messages = page.getByRole('region', { name: 'Messages' });
      await messages.getByText('Phones that show nothing').waitFor();
      const toEnd = () => messages.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);
      await expect.poll(toEnd, { message: `${width} ${reducedMotion}` }).toBeLessThan(48);
    }
});

test('an edited beginning leads back to what it was, however many conversations there are', async () => {
  const app = await startApp();
  for (let count = 0; count < 201; count++) await app.forest.append('root', [user(`Question ${count}`)]);
  const first = await app.forest.append('root', [user('Helo?')]);
  const edited = await app.forest.edit(first, 'Hello?');
  await app.forest.threads.create({ head: edited });
  const page = await app.open(`/c/${edited}`);
  await articles(page, 'user').getByRole('button', { name: 'Previous branch' }).click();
  await articles(page, 'user').getByText('Helo?').waitFor();
});

test('a file that is dropped beside the composer is attached, and the page stays', async () => {
  const app = await startApp();
  const [, head] = await converse(app, 'Hello?', 'Hello.');
  const page = await app.open(`/c/${head}`);
  await articles(page, 'assistant').waitFor();
  const isTaken = await page.getByRole('region', { name: 'Messages' }).evaluate((element) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['# Notes'], 'notes.md', { type: 'text/markdown' }));
    const how = { dataTransfer, bubbles: true, cancelable: true };
    return ['dragover', 'drop'].map((type) => !element.dispatchEvent(new DragEvent(type, how)));
  });
  expect(isTaken).toEqual([true, true]);
  await page.getByRole('form', { name: 'Composer' }).getByText('notes.md').waitFor();
});

test('a conversation that is deleted by its first message leaves no entry in the forest, until it is undone', async () => {
  const app = await startApp();
  const [, head] = await converse(app, 'Keep me?', 'No.');
  const threads = async () => (await app.forest.threads.list()).items.length;
  const page = await app.open(`/c/${head}`);
  const removed = page.getByText('This branch was deleted.');
  const remove = async () => {
    await choose(page, articles(page, 'user'), 'Delete branch');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('The conversation was deleted.').waitFor();
    expect(await threads()).toBe(0);
  };
  await articles(page, 'assistant').getByText('No.').waitFor();
  await remove();
  await page.getByRole('button', { name: 'Undo' }).click();
  await articles(page, 'assistant').getByText('No.').waitFor();
  await expect.poll(threads).toBe(1);

  await remove();
  await page.goto(`${app.url}/c/${head}`);
  await page.getByRole('button', { name: 'Restore' }).click();
  await removed.waitFor({ state: 'detached' });
  await expect.poll(threads).toBe(1);

  await remove();
  await page.goto(`${app.url}/?view=deleted`);
  await page.getByRole('button', { name: /^Restore/ }).click();
  await expect.poll(threads).toBe(1);
  expect((await app.forest.node(head!)).removed).toBe(false);
});

test('the demo does not claim to answer for providers that are asked at their own address', async () => {
  const { open } = await startApp({ demo: {} });
  const page = await open('/settings');
  const row = (id: string) => page.getByRole('listitem').filter({ has: page.getByText(id, { exact: true }) });
  await row('anthropic').getByText('answers in the demo').waitFor();
  for (const id of ['ollama', 'lmstudio', 'openai-compatible']) await row(id).getByText('needs no key').waitFor();
});

test('an address that names no message is answered in words, not with a pattern', async () => {
  const { open } = await startApp();
  for (const path of ['/c/zzzz', '/compare?nodes=zzzz', '/graph/zzzz']) {
    const page = await open(path);
    await page.getByText('There is no node zzzz in this forest.').first().waitFor();
  }
});

test('the dots of the tree are round on a phone, where its lines are higher', async () => {
  const app = await startApp();
  const [, head] = await converse(app, 'Which?', 'This one.');
  const page = await app.open(`/c/${head}`, { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true });
  await page.getByRole('button', { name: 'Show the tree and details' }).click();
  const dots = page.getByRole('treeitem').locator('circle');
  await dots.first().waitFor();
  for (const dot of await dots.all()) {
    const box = (await dot.boundingBox())!;
    expect(box.height).toBeCloseTo(box.width, 1);
  }
});
