/** Conversations in the page: each is shown by its own path, whatever others said with the same words. */
import { assistant as answered, user as said } from '@skein/core';
import { says } from '@skein/emulator';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { inChromium, messages, program, send, startApp } from './kit.ts';

inChromium();

const list = (page: Page) => page.getByRole('navigation', { name: 'Forest' });
const here = (page: Page) => list(page).locator('a[aria-current="page"]');

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
/** Signed thoughts prove whose history comes back. */
const thoughtful = (text: string) => ({
  blocks: [
    { type: 'thinking' as const, text: 'Let me think.' },
    { type: 'text' as const, text },
  ],
});

test('a new conversation that opens with old words shows its own answer, is marked in the list, and goes on from there', async () => {
  const app = await startApp();
  const { open, emulator, forest } = app;
  emulator.script('anthropic-messages', [
    says('Hello.'),
    says('A loom.'),
    says('Good day.'),
    says('You said good day.'),
  ]);
  const page = await open('/new');
  await send(page, 'Hi');
  await messages(page, 'assistant').getByText('Hello.').waitFor();
  await send(page, 'What are you?');
  await messages(page, 'assistant').getByText('A loom.').waitFor();
  const first = page.url().match(/\/t\/(\w+)\//)![1];

  await page.getByRole('link', { name: 'New conversation' }).click();
  await page.waitForURL(/\/new$/);
  await send(page, 'Hi');
  await messages(page, 'assistant').getByText('Good day.').waitFor();
  expect(await messages(page, 'assistant').count()).toBe(1);
  expect(await messages(page, 'user').count()).toBe(1);
  await messages(page, 'assistant').getByText('2/2').waitFor();
  const second = page.url().match(/\/t\/(\w+)\//)![1]!;
  expect(second).not.toBe(first);
  await expect.poll(() => here(page).getAttribute('href')).toBe(`/t/${second}`);

  await send(page, 'What did you say?');
  await messages(page, 'assistant').getByText('You said good day.').waitFor();
  const path = await forest.path((await forest.threads.get(second)).head);
  expect(path.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(path[1]!.message.text).toBe('Good day.');

  // The other conversation is one key away, as what it is.
  await page.keyboard.press('Escape');
  await messages(page, 'assistant').first().getByRole('button', { name: 'Previous branch' }).click();
  await messages(page, 'assistant').getByText('A loom.').waitFor();
  await page.waitForURL(new RegExp(`/t/${first}/`));
});

test('an old address of a message opens it in the conversation that had it', async () => {
  const app = await startApp();
  app.emulator.script('anthropic-messages', [says('Hello.'), says('Good day.')]);
  const page = await app.open('/new');
  await send(page, 'Hi');
  await messages(page, 'assistant').getByText('Hello.').waitFor();
  const [, thread, node] = page.url().match(/\/t\/(\w+)\/(\w+)/)!;
  await page.goto(`${app.url}/new`);
  await send(page, 'Hi');
  await messages(page, 'assistant').getByText('Good day.').waitFor();
  await page.goto(`${app.url}/c/${node}`);
  await page.waitForURL(`${app.url}/t/${thread}/${node}`);
  await messages(page, 'assistant').getByText('Hello.').waitFor();
});

test('equal openings are one row that unfolds, by mouse and by key', async () => {
  const app = await startApp();

  for (let count = 0; count < 3; count++) await app.forest.threads.begin([said('Hi')]);
  const page = await app.open('/');
  const row = page.getByRole('main').getByRole('button', { name: /Hi.*3 that begin like this/ });
  await row.waitFor();
  const links = page.getByRole('main').getByRole('link', { name: 'Hi', exact: true });
  expect(await links.count()).toBe(0);
  await row.click();
  await expect.poll(() => links.count()).toBe(3);
  await row.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => links.count()).toBe(0);
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => links.count()).toBe(3);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/t\/\w+\/\w+/);
  await expect.poll(() => messages(page, 'user').count()).toBe(1);
});

test('a session is one row, with its side calls folded once more', async () => {
  const app = await startApp();
  const call = program(app);
  const session = '11111111-2222-4333-8444-555555555555';
  await call({ session, system: 'You are a coding agent.', messages: [user('Mend the parser')] }, says('Mended.'));
  await call({ session, system: 'You search.', messages: [user('Find the parser')] }, says('In parse.ts.'));
  const naming = 'Generate a short title for the conversation.';
  await call({ session, system: naming, messages: [user('Mend the parser, please')] }, says('Parser mending'));
  const page = await app.open('/');
  const main = page.getByRole('main');
  await main.getByRole('button', { name: /Session: 2 conversations, 1 side call/ }).click();
  await main.getByRole('link', { name: 'Mend the parser', exact: true }).waitFor();
  await main.getByRole('link', { name: 'Find the parser' }).waitFor();
  expect(await main.getByRole('link', { name: /please/ }).count()).toBe(0);
  await main.getByRole('button', { name: /^Side calls/ }).click();
  await main.getByRole('link', { name: /please/ }).click();
  await messages(page, 'assistant').getByText('Parser mending').waitFor();
});

test('what is written below a recorded conversation is a fork, and the page says so', async () => {
  const app = await startApp();
  const call = program(app);
  await call({ system: 'You are a nurse.', messages: [user('Hi')] }, says('Where does it hurt?'));
  const [recorded] = (await app.forest.threads.list()).items;
  const page = await app.open(`/t/${recorded!.id}`);
  await messages(page, 'assistant').getByText('Where does it hurt?').waitFor();
  await page.getByRole('note').getByText('What you write here becomes a fork').waitFor();
  app.emulator.script('anthropic-messages', says('Rest it.'));
  await send(page, 'My arm');
  await messages(page, 'assistant').getByText('Rest it.').waitFor();
  await page.getByRole('note').getByText('Fork of').waitFor();
  expect(page.url()).not.toContain(recorded!.id);
  expect((await app.forest.threads.get(recorded!.id)).head).toBe(recorded!.head);
  expect(app.emulator.log.at(-1)!.body.toString()).toContain('You are a nurse.');
  await page.getByRole('note').getByRole('link').click();
  await page.waitForURL(new RegExp(recorded!.id));
  await expect.poll(() => messages(page, 'user').count()).toBe(1);
});

test('a conversation whose history the API kept and forgot goes on, with all that was said', async () => {
  const app = await startApp();
  const call = program(app);
  const beta = 'message-threads-2026-08-12';
  const { id } = await call(
    { beta, system: 'You are a nurse.', thread: { type: 'create' }, messages: [user('Hi')] },
    says('Where does it hurt?'),
  );
  const thread = { type: 'continue', previous_message_id: id };
  await call({ beta, thread, messages: [user('My arm')] }, says('Since when?'));
  const [recorded] = (await app.forest.threads.list()).items;
  app.passTime(60 * 60 * 1000);
  const page = await app.open(`/t/${recorded!.id}`);
  await messages(page, 'assistant').getByText('Since when?').waitFor();
  app.emulator.script('anthropic-messages', says('Then rest it.'));
  await send(page, 'Since Monday');
  await messages(page, 'assistant').getByText('Then rest it.').waitFor();
  const { thread: sent, system, messages: whole } = JSON.parse(app.emulator.log.at(-1)!.body.toString());
  expect(sent).toBeUndefined();
  expect(JSON.stringify(system)).toContain('You are a nurse.');
  for (const text of ['Hi', 'Where does it hurt?', 'My arm', 'Since when?', 'Since Monday'])
    expect(JSON.stringify(whole)).toContain(text);
});

test('a conversation goes on with its own model, not with the default one', async () => {
  const app = await startApp();
  await program(app)({ model: 'claude-haiku-4-5', messages: [user('Hi')] }, says('Hello.'));
  const [recorded] = (await app.forest.threads.list()).items;
  const page = await app.open(`/t/${recorded!.id}`);
  const form = page.getByRole('form');
  await form.getByRole('button', { name: 'Model: anthropic/claude-haiku-4-5' }).waitFor();
  await page.getByRole('button', { name: 'Asked next: anthropic/claude-haiku-4-5' }).waitFor();
  app.emulator.script('anthropic-messages', says('Gladly.'));
  await send(page, 'Go on');
  await messages(page, 'assistant').getByText('Gladly.').waitFor();
  expect(JSON.parse(app.emulator.log.at(-1)!.body.toString()).model).toBe('claude-haiku-4-5');
  await page.getByRole('link', { name: 'New conversation' }).click();
  await form.getByRole('button', { name: 'Model: anthropic/claude-sonnet-4-5' }).waitFor();
});

test('a tool that was chosen for another conversation does not replace those of a recorded one', async () => {
  const app = await startApp();
  const call = program(app);
  const tools = [{ name: 'read_file', description: 'Reads', input_schema: { type: 'object', properties: {} } }];
  await call({ tools, messages: [user('Hi')] }, says('What shall I read?'));
  const [recorded] = (await app.forest.threads.list()).items;
  const page = await app.open('/new');
  await page.getByRole('button', { name: /^Tools:/ }).click();
  await page.getByRole('checkbox', { name: /get_weather/ }).check();
  await page.keyboard.press('Escape');
  app.emulator.script('anthropic-messages', [says('Mild.'), says('Nothing, then.')]);
  await send(page, 'Coat?');
  await messages(page, 'assistant').getByText('Mild.').waitFor();
  await page.goto(`${app.url}/t/${recorded!.id}`);
  await messages(page, 'assistant').getByText('What shall I read?').waitFor();
  await send(page, 'Nothing');
  await messages(page, 'assistant').getByText('Nothing, then.').waitFor();
  const sent = app.emulator.log.map(({ body }) => JSON.parse(body.toString()).tools);
  expect(sent).toMatchObject([[{ name: 'read_file' }], [{ name: 'get_weather' }], [{ name: 'read_file' }]]);
});

test('deleting a first message that others begin with deletes one conversation and leaves theirs', async () => {
  const app = await startApp();
  const theirs = await app.forest.threads.begin([said('Hi'), answered('Hello.')]);
  const own = await app.forest.threads.begin([said('Hi'), answered('Good day.')]);
  const page = await app.open(`/t/${own.id}`);
  await messages(page, 'assistant').getByText('Good day.').waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.press('x');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The conversation was deleted.').waitFor();
  const { items } = await app.forest.threads.list();
  expect(items.map(({ id }) => id)).toEqual([theirs.id]);
  await page.goto(`${app.url}/t/${theirs.id}`);
  await messages(page, 'assistant').getByText('Hello.').waitFor();
});

test('a changed system text is shown where it happened, with what changed', async () => {
  const app = await startApp();
  const call = program(app);
  const tools = [{ name: 'look_up', description: 'Looks up', input_schema: { type: 'object', properties: {} } }];
  const { content: first } = await call(
    { system: 'You are a nurse.', messages: [user('Hi')] },
    thoughtful('Where does it hurt?'),
  );
  const messagesNow = [user('Hi'), assistant(first), user('My arm')];
  await call({ system: 'You are a doctor.', tools, messages: messagesNow }, says('Rest it.'));
  const [thread] = (await app.forest.threads.list()).items;
  const page = await app.open(`/t/${thread!.id}`);
  const note = messages(page, 'assistant').getByRole('article', { name: 'Change of context' });
  await note.getByText('The system text and the tools changed here').waitFor();
  expect(await note.count()).toBe(1);
  await note.getByRole('button').click();
  await note.locator('del').getByText('nurse').waitFor();
  await note.locator('ins').getByText('doctor').waitFor();
});

test('a history that its program shortened says from where on', async () => {
  const app = await startApp();
  const call = program(app);
  const history: object[] = [];
  for (const number of [1, 2, 3, 4]) {
    history.push(user(`Question ${number}`));
    history.push(assistant((await call({ messages: history }, says(`Answer ${number}`))).content));
  }
  await call({ messages: [...history.slice(4), user('Question 5')] }, says('Answer 5'));
  const [thread] = (await app.forest.threads.list()).items;
  const page = await app.open(`/t/${thread!.id}`);
  await messages(page, 'assistant').getByText('Answer 5').waitFor();
  const note = page.getByRole('article', { name: 'Change of context' });
  await note.getByText('From here on, the first 4 messages were not sent any more').waitFor();
});

test('a call of a recorded tool waits for the result that a person writes', async () => {
  const app = await startApp();
  const call = program(app);
  const tools = [{ name: 'read_file', description: 'Reads', input_schema: { type: 'object', properties: {} } }];
  await call(
    { tools, messages: [user('What is in it?')] },
    { blocks: [{ type: 'tool-use', name: 'read_file', input: { path: 'notes' } }] },
  );
  const [thread] = (await app.forest.threads.list()).items;
  const page = await app.open(`/t/${thread!.id}`);
  await page.getByText('read_file waits for its result.').waitFor();
  await page.getByRole('button', { name: 'Go on from here' }).click();
  const field = page.getByRole('textbox', { name: 'Result of read_file' });
  await field.fill('Line one.');
  app.emulator.script('anthropic-messages', says('It has one line.'));
  await page.getByRole('button', { name: 'Send the result' }).click();
  await messages(page, 'assistant').getByText('It has one line.').waitFor();
  expect(app.emulator.log.at(-1)!.body.toString()).toContain('Line one.');
});
