/** A thread is one conversation: what the commands show of it, and what going on with it sends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistant, system, user } from '@skein/core';
import { type Emulator, says, startEmulator } from '@skein/emulator';
import { type Forest, openForest, ROOT, recordFetch } from '@skein/forest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { skein } from './skein.ts';
import { closeTerminals, openTerminal } from './terminal.ts';

let home = '';
let emulator: Emulator;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'skein-conversations-'));
  emulator = await startEmulator();
});
afterEach(async () => {
  await closeTerminals();
  await emulator.close();
  rmSync(home, { recursive: true, force: true });
});

const store = () => join(home, 'forest');
const run = (...args: string[]) => skein(home, [...args, '--store', store()], '', emulator.env());

interface Turn {
  readonly role: string;
  readonly content: string;
}
const said = (role: string, content: string): Turn => ({ role, content });
const LOOK = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };

/** Records requests of a program, one after the other; gives the threads they belong to. */
async function record(
  exchanges: readonly {
    messages: readonly Turn[];
    reply: string;
    tools?: object[];
    headers?: Record<string, string>;
  }[],
): Promise<string[]> {
  const forest = await openForest(store());
  for (const { messages, reply, tools, headers = {} } of exchanges) {
    const fetch = recordFetch(forest, {
      fetch: async () =>
        Response.json({ id: 'c', model: 'gpt-5.5', choices: [{ index: 0, message: said('assistant', reply) }] }),
    });
    const body = JSON.stringify({ model: 'gpt-5.5', messages, ...(tools && { tools }) });
    const url = 'https://api.openai.com/v1/chat/completions';
    await (
      await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
    ).text();
    await fetch.settled();
  }
  const { items } = await forest.threads.list({ limit: 100 });
  await forest.close();
  return items.map(({ id }) => id);
}

async function withForest<T>(use: (forest: Forest) => Promise<T>): Promise<T> {
  const forest = await openForest(store());
  try {
    return await use(forest);
  } finally {
    await forest.close();
  }
}

const lastSent = () => JSON.parse(emulator.log.at(-1)!.body.toString());

test('going on with a recorded thread forks it, says so, and sends its own system text, tools and model', async () => {
  const [thread = ''] = await record([
    {
      messages: [said('system', 'You are a triage nurse.'), said('user', 'Hi')],
      reply: 'Where does it hurt?',
      tools: [LOOK],
    },
  ]);
  const before = await withForest((forest) => forest.threads.get(thread));
  emulator.script('openai-chat', says('Since when?'));
  const ran = await run('ask', 'My foot', '--at', thread, '--json');
  expect(ran.err).toContain(`Thread ${thread} was recorded`);
  const { thread: fork, model } = ran.json();
  expect(ran.err).toContain(fork);
  expect(model).toBe('openai-chat/gpt-5.5');
  expect(lastSent()).toMatchObject({
    messages: [
      { content: 'You are a triage nurse.' },
      { content: 'Hi' },
      { role: 'assistant' },
      { content: 'My foot' },
    ],
    tools: [LOOK],
  });
  expect(await withForest((forest) => forest.threads.get(thread))).toMatchObject({ head: before.head });
  expect(await withForest((forest) => forest.threads.get(fork))).toMatchObject({ forkedFrom: thread, recorded: false });
});

test('chat on a recorded thread goes on in a fork, and takes the result of a tool that runs elsewhere', async () => {
  const [thread = ''] = await record([{ messages: [said('user', 'Hi')], reply: 'Hello!', tools: [LOOK] }]);
  const call = { blocks: [{ type: 'tool-use', name: 'look', input: {} }] } as const;
  emulator.script('openai-chat', [call, says('Then it rains.')]);
  const chat = openTerminal(home, ['chat', '--at', thread, '--store', store()], { ...emulator.env() });
  await chat.see(/openai-chat\/gpt-5\.5[\s\S]*2> $/);
  chat.type('Look outside\r');
  await chat.see(/was recorded[\s\S]*look runs in the program[\s\S]*Its result: $/);
  chat.type('clouds\r');
  await chat.see(/Then it rains\.[\s\S]*3> $/);
  expect(lastSent().messages.at(-1)).toMatchObject({ role: 'tool', content: 'clouds' });
  chat.type('/quit\r');
  expect(await chat.ended).toBe(0);
  const { items } = (await run('log', thread, '--json')).json();
  expect(items).toHaveLength(2);
});

test('two conversations with the same words are two threads, and each goes on alone', async () => {
  const hello = () => emulator.script('anthropic-messages', says('Hello!'));
  const model = 'anthropic/claude-sonnet-4-5';
  hello();
  const first = (await run('ask', 'Hi', '--model', model, '--json')).json();
  hello();
  const second = (await run('ask', 'Hi', '--model', model, '--json')).json();
  expect(second).toMatchObject({ node: first.node });
  expect(second.thread).not.toBe(first.thread);
  emulator.script('anthropic-messages', says('One.'));
  await run('ask', 'First', '--at', first.thread);
  emulator.script('anthropic-messages', says('Two.'));
  await run('ask', 'Second', '--at', second.thread);
  const text = async (thread: string) =>
    (await run('log', thread, '--json')).json().items.map((node: { text: string }) => node.text);
  expect(await text(first.thread)).toEqual(['Hi', 'Hello!', 'First', 'One.']);
  expect(await text(second.thread)).toEqual(['Hi', 'Hello!', 'Second', 'Two.']);
  const rows = (await run('threads')).out.trim().split('\n');
  expect(rows).toHaveLength(1);
  expect(rows[0]).toContain('Hi · 2 that begin like this');
});

test('going on from a node in the middle of a thread leaves that thread where it stands', async () => {
  emulator.script('anthropic-messages', [says('One.'), says('Two.'), says('Other.')]);
  const first = (await run('ask', 'A', '--model', 'anthropic/claude-sonnet-4-5', '--json')).json();
  const second = (await run('ask', 'B', '--at', first.node, '--json')).json();
  // The one thread that ends at a node is gone on with.
  expect(second.thread).toBe(first.thread);
  const other = await run('ask', 'C', '--at', first.node, '--json');
  expect(other.err).toContain('stays as it is');
  expect(other.json().thread).not.toBe(first.thread);
  expect((await run('log', first.thread, '--json')).json().items.at(-1).text).toBe('Two.');
});

test('tree: the whole path of a thread, with the branches that leave it', async () => {
  const ids = await withForest(async (forest) => {
    const thread = await forest.threads.begin([system('Be brief.'), user('What is a skein?')]);
    const yarn = await forest.append(thread.head, [assistant('Yarn.'), user('Of what?'), assistant('Wool.')]);
    const geese = await forest.append(thread.head, [assistant('Geese.'), user('How many?')]);
    await forest.threads.moveHead(thread.id, yarn);
    return { thread: thread.id, yarn, geese };
  });
  const { out, err } = await run('tree', ids.thread);
  expect(err).toBe('');
  const lines = out.trimEnd().split('\n');
  expect(lines.map((line) => line.replace(/[0-9a-f]{10} /, ''))).toEqual([
    '* system Be brief.',
    '* user What is a skein?',
    '├─o assistant Geese.',
    '│ o user How many?',
    '* assistant Yarn.',
    '* user Of what?',
    '* assistant Wool.',
  ]);
  const json = (await run('tree', ids.thread, '--json')).json();
  expect(json.path).toHaveLength(5);
  expect(json.items).toHaveLength(7);
  const few = await run('tree', ids.thread, '--limit', '5');
  expect(few.out.trimEnd().split('\n')).toHaveLength(5);
  expect(few.err).toContain('There are more');
});

const LONG = 'This answer is so long that nobody would say it twice by chance, not even at temperature zero.';

test('log and tree show where the system text and the tools of a conversation changed', async () => {
  const history = [
    said('user', 'One?'),
    said('assistant', `${LONG} 1`),
    said('user', 'Two?'),
    said('assistant', `${LONG} 2`),
    said('user', 'Three?'),
  ];
  const shop = said('system', 'You are a shop assistant.\nBe brief.');
  const nurse = said('system', 'You are a nurse.\nBe brief.');
  const [thread = '', ...others] = await record([
    { messages: [shop, ...history.slice(0, 1)], reply: `${LONG} 1` },
    { messages: [shop, ...history.slice(0, 3)], reply: `${LONG} 2` },
    { messages: [nurse, ...history], reply: 'Three.', tools: [LOOK] },
  ]);
  expect(others).toEqual([]);
  const { out } = await run('log', thread);
  expect(out).toMatch(
    /Three\?\n\n~ the system text changed\n {2}- You are a shop assistant\.\n {2}\+ You are a nurse\.\n~ the tools changed: now with look\n\n\w{10} assistant.*\nThree\./,
  );
  expect((await run('log', thread, '--json')).json().changes).toMatchObject([
    { system: { after: 'You are a nurse.\nBe brief.' }, tools: { before: '' } },
  ]);
  expect((await run('tree', thread)).out).toMatch(
    /Three\. {2}gpt-5\.5 \(the system text changed; the tools changed: now with look\)/,
  );
  emulator.script('openai-chat', says('Four.'));
  await run('ask', 'Four?', '--at', thread);
  expect(lastSent().messages[0]).toMatchObject({ content: 'You are a nurse.\nBe brief.' });
});

test('log shows the checkpoint from which a shortened history goes on', async () => {
  const turns = [1, 2, 3, 4].flatMap((at) => [said('user', `Question ${at}?`), said('assistant', `${LONG} ${at}`)]);
  const asked = (count: number) => ({ messages: turns.slice(0, 2 * count - 1), reply: `${LONG} ${count}` });
  const threads = await record([
    ...[1, 2, 3, 4].map(asked),
    { messages: [...turns.slice(4), said('user', 'Last?')], reply: 'Yes.' },
  ]);
  expect(threads).toHaveLength(1);
  expect((await run('log', threads[0]!)).out).toMatch(
    /~ a checkpoint was sent in place of the first 4 messages\n\n\w{10} assistant.*\nYes\./,
  );
});

test('log begins with the system text that a conversation itself had, not with that of another through its nodes', async () => {
  const thread = await withForest(async (forest) => {
    const shop = await forest.append(ROOT, [system('You are a shop assistant.'), user('Hi')]);
    const nurse = system('You are a nurse.');
    await forest.append(ROOT, [nurse]);
    const { id } = await forest.threads.create({ head: shop });
    const context = {
      system: [{ dialect: nurse.origin.dialect, body: nurse.facts.digest }],
      replacesLead: true,
    } as const;
    const head = await forest.append(shop, [assistant('Where does it hurt?')], { thread: id, model: 'm', context });
    await forest.threads.moveHead(id, head);
    return id;
  });
  const { out } = await run('log', thread);
  expect(out).toMatch(/^ {11}system of this thread alone\nYou are a nurse\.\n\n\w{10} user/);
  expect(out).not.toContain('shop');
  expect((await run('log', thread, '--oneline')).out).toMatch(/^ {11}system You are a nurse\.\n/);
});

test('threads: a session is one row that unfolds, with its subagents and side calls', async () => {
  const headers = { 'x-session-id': 'one' };
  await record([
    {
      messages: [said('system', 'Generate a title for the conversation.'), said('user', 'Mend it')],
      reply: 'Bridge',
      headers,
    },
    { messages: [said('user', 'Mend the bridge')], reply: 'I will.', tools: [LOOK], headers },
    { messages: [said('user', 'Something else')], reply: 'Yes.' },
  ]);
  const { out } = await run('threads');
  const lines = out.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  const row = lines.find((line) => line.includes('Mend the bridge'))!;
  expect(row).toContain('Mend the bridge · a session of 2 threads: 1 side call');
  const unfolded = (await run('threads', row.slice(0, 12))).out;
  expect(unfolded.trimEnd().split('\n')).toHaveLength(2);
  expect(unfolded).toMatch(/Mend it · side call$/m);
  expect((await run('threads', '--all')).out.trimEnd().split('\n')).toHaveLength(3);
  const json = (await run('threads', '--json')).json().items;
  expect(json.map(({ kind, count }: { kind: string; count: number }) => [kind, count]).toSorted()).toEqual([
    ['session', 2],
    ['thread', 1],
  ]);
  expect((await run('threads', '--all', '--json')).json().items).toHaveLength(3);
});
