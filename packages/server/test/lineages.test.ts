/** A thread is a conversation that somebody had, not the nodes it leads through. */
import { says } from '@skein/emulator';
import { createForest, memoryStore, recordFetch } from '@skein/forest';
import { describe, expect, test } from 'vitest';
import { question, startWorld, type World } from './kit.ts';

const MODEL = 'anthropic/claude-sonnet-4-5';

async function ended({ api }: World, generation: string): Promise<string> {
  const status = async () => (await api('GET', `/generations/${generation}`)).body.status;
  await expect.poll(status).not.toBe('running');
  return status();
}

/** Begins a conversation on the server and has it answered. */
async function converse(world: World, text: string, answer: string): Promise<string> {
  const { body: thread } = await world.api('POST', '/threads', { messages: [question(text)] });
  world.emulator.script('anthropic-messages', says(answer));
  const { body } = await world.api('POST', '/generations', { thread: thread.id, model: MODEL });
  expect(await ended(world, body.id)).toBe('done');
  return thread.id;
}

const words = async ({ api }: World, thread: string): Promise<string[]> =>
  (await api('GET', `/threads/${thread}/path`)).body.items.map(
    ({ content }: { content: { text: string }[] }) => content[0]?.text,
  );

describe('a conversation that opens with old words', () => {
  test('is a thread of its own with its own answer, and goes on behind that', async () => {
    const world = await startWorld();
    const first = await converse(world, 'Hi', 'Hello.');
    await world.api('POST', `/threads/${first}/messages`, { messages: [question('Who are you?')] });
    const second = await converse(world, 'Hi', 'Good day.');
    expect(second).not.toBe(first);
    expect(await words(world, second)).toEqual(['Hi', 'Good day.']);
    expect(await words(world, first)).toEqual(['Hi', 'Hello.', 'Who are you?']);
    const { body } = await world.api('POST', `/threads/${second}/messages`, { messages: [question('And you?')] });
    expect(body.thread).toMatchObject({ id: second, head: body.node.id });
    expect(await words(world, second)).toEqual(['Hi', 'Good day.', 'And you?']);
  });

  test('is one row with the others, and each is found in it', async () => {
    const world = await startWorld();
    const threads = [await converse(world, 'Hi', 'Hello.'), await converse(world, 'Hi', 'Good day.')];
    await converse(world, 'Something else', 'Gladly.');
    const rows = (await world.api('GET', '/groups')).body.items;
    expect(rows).toMatchObject([
      { kind: 'thread', count: 1 },
      { kind: 'opening', count: 2, isMore: false },
    ]);
    const members = await world.api('GET', `/groups/${rows[1].group}/threads`);
    expect(members.body.items.map(({ id }: { id: string }) => id).sort()).toEqual(threads.sort());
  });

  test('pays for its own answers only', async () => {
    const world = await startWorld();
    const first = await converse(world, 'Hi', 'Hello.');
    const second = await converse(world, 'Hi', 'Hello.');
    const { body: thread } = await world.api('GET', `/threads/${second}`);
    expect(thread.lineage).toEqual([second]);
    const replies = async (query: string) => (await world.api('GET', `/usage?${query}`)).body.replies;
    expect(await replies(`path=${thread.head}`)).toBe(2);
    expect(await replies(`path=${thread.head}&thread=${second}`)).toBe(1);
    expect(await replies(`thread=${first}`)).toBe(1);
    const generations = await world.api('GET', `/generations?thread=${first}`);
    expect(generations.body.items).toMatchObject([{ thread: first }]);
  });
});

test('appending and editing name the thread that was written into', async () => {
  const world = await startWorld();
  const thread = await converse(world, 'Hi', 'Hello.');
  const { head } = (await world.api('GET', `/threads/${thread}`)).body;
  const more = await world.api('POST', `/nodes/${head}/messages`, { messages: [question('More')], thread });
  expect(more.body).toMatchObject({ thread, parent: head });
  const edited = await world.api('POST', `/nodes/${more.body.id}/edit`, { text: 'Less', thread });
  expect(edited.body.thread).toBe(thread);
  expect(await words(world, thread)).toEqual(['Hi', 'Hello.', 'Less']);
});

describe('a recorded conversation', () => {
  const TOOL = { name: 'read_file', description: 'Reads', input_schema: { type: 'object', properties: {} } };

  /** One that a client had through the recorder, with a system text and a tool that this server cannot run. */
  async function recorded(answer: Parameters<World['emulator']['script']>[1], more: object = {}) {
    const forest = createForest(memoryStore());
    const world = await startWorld({ forest });
    const fetch = recordFetch(forest);
    const ask = async (body: object) => {
      const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = world.emulator.env();
      const response = await fetch(`${ANTHROPIC_BASE_URL}/v1/messages`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': ANTHROPIC_API_KEY!,
          'anthropic-version': '2023-06-01',
        },
        body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 99, ...body }),
      });
      await response.text();
      await fetch.settled();
    };
    world.emulator.script('anthropic-messages', answer);
    await ask({ system: 'You are a nurse.', tools: [TOOL], messages: [{ role: 'user', content: 'Hi' }], ...more });
    const [thread] = (await forest.threads.list()).items;
    return { world, thread: thread!, ask };
  }

  test('is forked by what a person writes, and the fork sends its system text and tools', async () => {
    const { world, thread } = await recorded(says('Where does it hurt?'));
    expect((await world.api('GET', `/threads/${thread.id}`)).body).toMatchObject({ recorded: true, part: 'main' });
    const { body } = await world.api('POST', `/threads/${thread.id}/messages`, { messages: [question('My arm')] });
    expect(body.thread).toMatchObject({ forkedFrom: thread.id, recorded: false });
    expect((await world.forest.threads.get(thread.id)).head).toBe(thread.head);
    const preview = await world.api('POST', `/nodes/${body.node.id}/preview`, { model: MODEL, thread: body.thread.id });
    const sent = JSON.parse(preview.body.body);
    expect(JSON.stringify(sent.system)).toContain('You are a nurse.');
    expect(sent.tools).toMatchObject([{ name: 'read_file' }]);
    expect(sent.max_tokens).toBe(99);
    const last = await world.api('GET', `/threads/${body.thread.id}/last-request`);
    expect(last.body.last).toMatchObject({ provider: 'anthropic', tools: ['read_file'] });
  });

  test('is forked by an answer that is asked for, and what is refused leaves no fork', async () => {
    const { world, thread } = await recorded(says('Where does it hurt?'));
    const parent = (await world.forest.node(thread.head)).parent;
    const refused = await world.api('POST', '/generations', { thread: thread.id, node: parent, model: 'nope/x' });
    expect(refused.body.code).toBe('unknown_provider');
    expect((await world.forest.threads.list()).items).toHaveLength(1);
    world.emulator.script('anthropic-messages', says('Since when?'));
    const { body } = await world.api('POST', '/generations', { thread: thread.id, node: parent, model: MODEL });
    await ended(world, body.id);
    expect((await world.api('GET', `/threads/${body.thread}`)).body.forkedFrom).toBe(thread.id);
    expect(await words(world, body.thread)).toEqual(['You are a nurse.', 'Hi', 'Since when?']);
  });

  test('goes on with the model that answered it where the request names none', async () => {
    const { world, thread } = await recorded(says('Where does it hurt?'));
    const { body: last } = await world.api('GET', `/threads/${thread.id}/last-request`);
    expect(last.next).toBe(MODEL);
    const { body: forked } = await world.api('POST', `/threads/${thread.id}/messages`, {
      messages: [question('My arm')],
    });
    world.emulator.script('anthropic-messages', says('Since when?'));
    const { status, body } = await world.api('POST', '/generations', { thread: forked.thread.id });
    expect(status).toBe(202);
    expect(await ended(world, body.id)).toBe('done');
    expect(body.model).toBe(MODEL);
  });

  test('has calls that this server cannot run: they wait for the result that a person writes', async () => {
    const { world, thread } = await recorded({ blocks: [{ type: 'tool-use', name: 'read_file', input: {} }] });
    const { body } = await world.api('POST', '/generations', { thread: thread.id, model: MODEL });
    expect(await ended(world, body.id)).toBe('waiting');
    const [branch] = (await world.api('GET', `/generations/${body.id}`)).body.branches;
    expect(branch.pending).toMatchObject([{ name: 'read_file' }]);
    world.emulator.script('anthropic-messages', says('A short file.'));
    const approvals = { [branch.pending[0].id]: { result: 'Line one.' } };
    const resumed = await world.api('POST', `/generations/${body.id}/resume`, { approvals });
    expect(resumed.status).toBe(202);
    expect(await ended(world, body.id)).toBe('done');
    expect(world.emulator.log.at(-1)!.body.toString()).toContain('Line one.');
  });

  test('says where its system text changed', async () => {
    // Signed thoughts prove whose history it is, whatever the system text.
    const { world, thread, ask } = await recorded({
      blocks: [
        { type: 'thinking', text: 'A patient.' },
        { type: 'text', text: 'Where does it hurt?' },
      ],
    });
    world.emulator.script('anthropic-messages', says('Rest it.'));
    const reply = await world.forest.node(thread.head);
    await ask({
      system: 'You are a doctor.',
      tools: [TOOL],
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: JSON.parse(reply.message.raw).content },
        { role: 'user', content: 'My arm' },
      ],
    });
    const { body } = await world.api('GET', `/threads/${thread.id}/context-changes`);
    const { head } = await world.forest.threads.get(thread.id);
    const system = { before: 'You are a nurse.', after: 'You are a doctor.' };
    expect(body.items).toEqual([{ node: head, system }]);
  });
});
