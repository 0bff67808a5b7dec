import { provider, type Tool, tool, user } from '@skein/core';
import { type Emulator, type Protocol, type ScriptedReply, says } from '@skein/emulator';
import { ROOT, type StoredEvent } from '@skein/forest';
import { describe, expect, test } from 'vitest';
import { type Process, processes, until } from './engine-kit.ts';
import { APIS, bodies, expectAccepted, start, weather } from './kit.ts';

const MODEL = 'anthropic/claude-opus-5-5';
const hangs = (text: string, events = 4) => says(text, { break: { after: { events }, how: 'hang' } });
/** Events until there is some text. */
const BEGUN: Readonly<Record<string, number>> = {
  'anthropic-messages': 4,
  'openai-chat': 2,
  'openai-responses': 6,
  'google-generatecontent': 1,
  'google-interactions': 4,
};
const asks = (city: string, id?: string) => ({
  blocks: [{ type: 'tool-use' as const, name: 'get_weather', input: { city }, ...(id !== undefined && { id }) }],
});

/** Starts what hangs in the middle of its answer, and dies once something of it is stored. */
async function dieWhileSpeaking(process: Process, node: string, generation?: string, model = MODEL): Promise<string> {
  const { engine, store } = process;
  const wire = async () =>
    (await store.entries('event', { of: `${generation}/0/wire`, limit: 1000 })).items.flatMap(({ data }) =>
      data.text === undefined ? [] : [data.text],
    ).length;
  const before = generation ? await wire() : 0;
  const { id } = generation ? await engine.resume(generation) : await engine.generate(node, { model });
  generation ??= id;
  await until(async () => (await wire()) > before);
  process.die();
  return id;
}

describe.each(APIS)('$protocol', ({ protocol, model }) => {
  test('a branch that was stopped in the middle of a sentence goes on beside what it had said', async () => {
    const emulator = await start();
    const { forest, engine } = processes(emulator)();
    const node = await forest.append(ROOT, [user('Hello')]);
    emulator.script(protocol, [
      hangs('Never to be heard in full, not by anyone.', BEGUN[protocol] ?? 2),
      says('All of it.'),
    ]);
    const first = await engine.generate(node, { model });
    for await (const { event } of engine.follow(first.id)) if (event.type === 'text') first.stop();
    const stopped = await first.result;
    expect(stopped.status).toBe('aborted');
    const done = await (await engine.resume(first.id)).result;
    expect(done.status).toBe('done');
    expectAccepted(emulator);
    const { items } = await forest.children(node);
    expect(items.map(({ message }) => message.origin.cut === true)).toEqual([true, false]);
    expect(items[1]!.message.text).toBe('All of it.');
    expect((await forest.descendants(stopped.branches[0]!.head)).items).toEqual([]);
    expect(bodies(emulator)[1]).toBe(bodies(emulator)[0]);
  });
});

test('what was started and stopped by a machine whose clock is ahead goes on at one whose clock is behind', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const first = next(() => Date.now() + 3_600_000);
  const node = await first.forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [hangs('One two three four five.'), says('All of it.')]);
  const id = await dieWhileSpeaking(first, node);
  const stamp = first.forest.clock.tick();
  const behind = next();
  await next(() => Date.now() + 3_600_000).store.append([
    { k: 'ref', on: 'forest', key: id, name: 'stop', value: true, clock: stamp },
  ]);
  expect((await (await behind.engine.resume(id)).result).status).toBe('done');
  expect((await next().engine.get(id)).status).toBe('done');
});

test('one partial turn is kept once, however often its generation is taken up and dies again', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const first = next();
  const node = await first.forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [hangs('One two three four five.')]);
  const id = await dieWhileSpeaking(first, node);

  for (let time = 0; time < 2; time++) {
    const dies = next();
    emulator.script('anthropic-messages', [says('Late.')]);
    await dies.engine.resume(id);
    dies.die();
  }
  const { forest } = next();
  const { items } = await forest.children(node);
  expect(items.map(({ takes }) => takes.length)).toEqual([1]);
  expect((await forest.usage({ below: node })).replies).toBe(1);
});

test('two replies that were cut one after the other are two nodes, not a mixture', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const first = next();
  const node = await first.forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [
    hangs('One two three four five six.'),
    hangs('Eins zwei drei vier fünf sechs.'),
    says('Done.'),
  ]);
  const id = await dieWhileSpeaking(first, node);
  await dieWhileSpeaking(next(), node, id);
  const { engine, forest } = next();
  await (await engine.resume(id)).result;
  const texts = (await forest.children(node)).items.map(({ message }) => message.text);
  expect(texts).toHaveLength(3);
  expect(texts[0]).toMatch(/^One/);
  expect(texts[0]).not.toContain('Eins');
  expect(texts[1]).toMatch(/^Eins/);
});

interface Wire {
  readonly protocol: Protocol;
  readonly model: string;
  readonly extraBody?: Readonly<Record<string, number>>;
  /** What the last event of a stream holds. */
  readonly end: string;
}

const CLAUDE: Wire = { protocol: 'anthropic-messages', model: MODEL, end: 'message_stop' };

/** A process that dies between the last byte of a reply and its message. */
async function diesBehindReply(
  emulator: Emulator,
  first: Process,
  reply: ScriptedReply,
  { protocol, model, extraBody, end }: Wire = CLAUDE,
): Promise<{ readonly id: string; readonly node: string }> {
  const node = await first.forest.append(ROOT, [user('Hello')]);
  const { store } = first;
  const append = store.append;
  Object.assign(store, {
    append: (records: Parameters<typeof append>[0]) =>
      records.some(({ k }) => k === 'node') ? new Promise(() => undefined) : append(records),
  });
  emulator.script(protocol, [reply, says('Cold.')]);
  const { id } = await first.engine.generate(node, { model, tools: [weather], ...(extraBody && { extraBody }) });
  await until(async () =>
    (await store.entries('event', { of: `${id}/0/wire` })).items.some(({ data }) => String(data.text).includes(end)),
  );
  first.die();
  return { id, node };
}

test.each([
  ['a whole reply', asks('Oslo'), ['user', 'assistant', 'tool', 'assistant']],
  ['a whole reply that says nothing', { blocks: [] }, ['user', 'assistant', 'assistant']],
])('%s that its process did not live to store is kept, and gone on from', async (_, reply, roles) => {
  const emulator = await start();
  const next = processes(emulator);
  const { id } = await diesBehindReply(emulator, next(), reply);
  const { engine, forest } = next();
  const done = await (await engine.resume(id, { tools: [weather] })).result;
  expect(done.status).toBe('done');
  expect((await forest.path(done.branches[0]!.head)).map(({ role }) => role)).toEqual(roles);
  expect(emulator.log).toHaveLength(2);
  expectAccepted(emulator);
});

test('the alternatives of a reply that its process did not live to store are kept with it', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const text = (said: string) => ({ type: 'text', text: said }) as const;
  const reply = { blocks: [text('One.')], alternatives: [[text('Two.')]] };
  const about = { protocol: 'openai-chat', model: 'openai-chat/gpt-5.5', extraBody: { n: 2 }, end: '[DONE]' } as const;
  const { id, node } = await diesBehindReply(emulator, next(), reply, about);
  const { engine, forest } = next();
  await (await engine.resume(id, { tools: [] })).result;
  expect((await forest.children(node)).items.map(({ message }) => message.text)).toEqual(['One.', 'Two.']);
  expect(await forest.usage({ below: node })).toMatchObject({ replies: 2 });
});

test('a partial turn of a provider that only its user knows is kept', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const { forest, engine, store, die } = next();
  // Not registered: nobody finds it by its name.
  const house = { ...provider('anthropic'), id: 'house', issuer: 'house.example' };
  const baseUrl = emulator.baseUrl('anthropic-messages');
  const model = { provider: house, model: 'claude-opus-5-5', apiKey: 'sk-ant-test', baseUrl };
  const node = await forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [hangs('One two three four five.'), says('Done.')]);
  const { id } = await engine.generate(node, { model });
  await until(async () => (await store.entries('event', { of: `${id}/0/wire` })).items.length > 0);
  die();
  const other = next();
  await expect(other.engine.resume(id)).rejects.toMatchObject({ code: 'model_needed' });
  const done = await (await other.engine.resume(id, { model })).result;
  expect(done.status).toBe('done');
  expect((await forest.children(node)).items).toHaveLength(2);
});

test('a tool does not run before the message that calls it is stored', async () => {
  const emulator = await start();
  const process = processes(emulator)();
  const { forest, engine, store } = process;
  const node = await forest.append(ROOT, [user('Weather?')]);
  let ran = false;
  const counted = tool({
    name: 'get_weather',
    input: weather.parameters,
    execute: () => {
      ran = true;
      return 'fine';
    },
  });
  const { append } = store;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  Object.assign(store, {
    append: async (records: Parameters<typeof append>[0]) => {
      if (records.some(({ k }) => k === 'node')) {
        isHeld = true;
        await held;
      }
      return append(records);
    },
  });
  emulator.script('anthropic-messages', [asks('Oslo'), says('Done.')]);
  const { result } = await engine.generate(node, { model: MODEL, tools: [counted] });
  await until(async () => isHeld);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(ran).toBe(false);
  expect(emulator.log).toHaveLength(1);
  release();
  expect((await result).status).toBe('done');
  expect(ran).toBe(true);
});

test('a provider that gives every call the same id gets the results of each', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Weather?')]);
  const echo = tool({ name: 'get_weather', input: weather.parameters, execute: ({ city }) => `sun in ${city}` });
  emulator.script('openai-chat', [asks('Oslo', 'call_0'), asks('Rome', 'call_0'), says('Done.')]);
  const { branches } = await (await engine.generate(node, { model: 'openai-chat/gpt-5.5', tools: [echo] })).result;
  const results = (await forest.path(branches[0]!.head)).filter(({ role }) => role === 'tool');
  expect(results.map(({ message }) => message.toolResults[0]!.content)).toEqual([
    [{ type: 'text', text: 'sun in Oslo' }],
    [{ type: 'text', text: 'sun in Rome' }],
  ]);
});

describe('approvals', () => {
  const careful = (execute: () => string = () => 'fine'): Tool =>
    tool({ name: 'get_weather', input: weather.parameters, needsApproval: true, execute }) as Tool;
  const waits = async (execute?: () => string, replies: ScriptedReply[] = [asks('Oslo'), says('Done.')]) => {
    const emulator = await start();
    const process = processes(emulator)();
    const node = await process.forest.append(ROOT, [user('Weather?')]);
    emulator.script('anthropic-messages', replies);
    const tools = [careful(execute)];
    const params = { maxTokens: 777 };
    const { id, result } = await process.engine.generate(node, { model: MODEL, tools, params });
    const { status, branches } = await result;
    expect(status).toBe('waiting');
    const approvals = { [branches[0]!.pending![0]!.id]: 'approve' as const };
    return { ...process, emulator, id, tools, approvals };
  };

  test('approving twice at once runs the tool once', async () => {
    let runs = 0;
    const { engine, id, tools, approvals } = await waits(() => {
      runs += 1;
      return 'fine';
    });
    const both = await Promise.allSettled([
      engine.resume(id, { tools, approvals }),
      engine.resume(id, { tools, approvals }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'generation_running' } });
    for (const one of both) if (one.status === 'fulfilled') await one.value.result;
    expect(runs).toBe(1);
  });

  test('going on keeps the parameters it was started with', async () => {
    const { engine, emulator, id, tools, approvals } = await waits();
    await (await engine.resume(id, { tools, approvals })).result;
    expect(bodies(emulator).map((body) => JSON.parse(body).max_tokens)).toEqual([777, 777]);
  });

  test('going on without the tools is refused, and no call is answered for want of them', async () => {
    const { engine, forest, id, approvals } = await waits();
    await expect(engine.resume(id, { approvals })).rejects.toMatchObject({ code: 'tools_needed' });
    const { status, branches } = await engine.get(id);
    expect(status).toBe('waiting');
    expect((await forest.children(branches[0]!.head)).items).toEqual([]);
  });

  test('whoever is told of the end finds it ended, and may go on at once', async () => {
    const emulator = await start();
    const next = processes(emulator);
    const { forest, engine } = next();
    const node = await forest.append(ROOT, [user('Weather?')]);
    emulator.script('anthropic-messages', [asks('Oslo'), says('Done.')]);
    const tools = [careful()];
    const { id } = await engine.generate(node, { model: MODEL, tools });
    const seen: StoredEvent[] = [];
    for await (const event of engine.follow(id)) {
      seen.push(event);
      if (event.event.type === 'end') expect((await engine.get(id)).status).toBe('waiting');
    }
    const approvals = { [(await engine.get(id)).branches[0]!.pending![0]!.id]: 'approve' as const };
    await engine.resume(id, { tools, approvals });
    // From the first event on: the end that it had before is not the end.
    const all: StoredEvent[] = [];
    for await (const event of engine.follow(id)) all.push(event);
    expect(all.slice(0, seen.length)).toEqual(seen);
    expect(all.at(-1)?.event).toEqual({ type: 'end', status: 'done' });
    const ids = all.map((event) => event.id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });
});

test('following what died ends with its end, and later goes on from the same place', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const first = next();
  const node = await first.forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [hangs('One two three four five.'), says('Done.')]);
  const id = await dieWhileSpeaking(first, node);
  const { engine } = next();
  const seen: StoredEvent[] = [];
  for await (const event of engine.follow(id)) seen.push(event);
  expect(seen.at(-1)?.event).toEqual({ type: 'end', status: 'aborted' });
  await (await engine.resume(id)).result;
  const rest: StoredEvent[] = [];
  for await (const event of engine.follow(id, seen.at(-1)!.id)) rest.push(event);
  expect(rest.some(({ event }) => event.type === 'text' && event.text.startsWith('Done'))).toBe(true);
});

test('what was moved while it waited goes on at its new place', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello there')]);
  emulator.script('anthropic-messages', [{ error: { status: 400, message: 'no' } }, says('Done.')]);
  const { id, status } = await (await engine.generate(node, { model: MODEL, retry: false })).result;
  expect(status).toBe('failed');
  const { second } = await forest.split(node, 5);
  const { branches } = await (await engine.resume(id)).result;
  expect((await forest.node(branches[0]!.head)).parent).toBe(second);
});

test('the keys of nobody are in what a generation stores', async () => {
  const emulator = await start();
  const { forest, engine, store } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [says('Done.')]);
  await (await engine.generate(node, { model: MODEL })).result;
  const kinds = ['generation', 'event', 'tool-journal'] as const;
  const stored = await Promise.all(kinds.map((kind) => store.entries(kind, { limit: 1000 })));
  for (const key of Object.values(emulator.env()).filter((value) => value.includes('test')))
    expect(JSON.stringify(stored)).not.toContain(key);
});

test('a generation whose process died after its last answer is done, not aborted', async () => {
  const emulator = await start();
  const begin = processes(emulator);
  const first = begin();
  const node = await first.forest.append(ROOT, [user('Hello')]);
  const { id } = await (await first.engine.generate(node, { model: MODEL })).result;
  const entry = (await first.store.entry('generation', id))!;
  await first.store.append([
    { ...entry, clock: first.forest.clock.tick(), data: { ...entry.data, status: 'running' } },
  ]);
  first.die();
  const second = begin();
  expect(await second.engine.get(id)).toMatchObject({ status: 'done' });
});
