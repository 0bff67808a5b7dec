import { assistant, keepLast, toolResult, user } from '@skein/core';
import { says } from '@skein/emulator';
import { ROOT } from '@skein/forest';
import { expect, test } from 'vitest';
import { processes, until } from './engine-kit.ts';
import { bodies, start } from './kit.ts';

const MODEL = 'anthropic/claude-opus-5-5';
const hangs = (text: string) => says(text, { break: { after: { events: 4 }, how: 'hang' } });

test('a generation whose store fails is not running for ever, and can be taken up', async () => {
  const emulator = await start();
  const { forest, engine, breakDisk, mendDisk } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [says('One.'), says('Two.')]);
  const generation = await engine.generate(node, { model: MODEL });
  breakDisk();
  await expect(generation.result).rejects.toThrow('no space left');
  expect((await engine.get(generation.id)).status).toBe('aborted');
  mendDisk();
  expect((await (await engine.resume(generation.id)).result).status).toBe('done');
});

test('a store that fails for a moment costs one branch, and the state of the others is kept', async () => {
  const emulator = await start();
  const { forest, engine, store } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello')]);
  const { append } = store;
  let failures = 1;
  Object.assign(store, {
    append: (records: Parameters<typeof append>[0]) => {
      if (records.some(({ k }) => k === 'node') && failures-- > 0) throw new Error('for a moment');
      return append(records);
    },
  });
  emulator.script('anthropic-messages', [says('One.'), says('Two.'), says('Three.')]);
  const { status, branches, id } = await (await engine.generate(node, { model: MODEL, n: 3 })).result;
  expect(status).toBe('done');
  expect(branches.map((branch) => branch.status).sort()).toEqual(['done', 'done', 'failed']);
  expect(await engine.get(id)).toMatchObject({ status: 'done', branches });
});

test('a history that cannot be read fails the generation, which does not stay running', async () => {
  const emulator = await start();
  const { forest, engine, store } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello')]);
  Object.assign(store, { bodies: async (digests: readonly string[]) => digests.map(() => undefined) });
  const { status, branches, id } = await (await engine.generate(node, { model: MODEL })).result;
  expect(status).toBe('failed');
  expect(branches[0]!.error).toMatchObject({ code: 'unknown_body' });
  expect((await engine.get(id)).status).toBe('failed');
});

test('two requests for the same at the same moment start one generation', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [says('One.'), says('Two.')]);
  const both = await Promise.allSettled([
    engine.generate(node, { model: MODEL }),
    engine.generate(node, { model: MODEL }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  for (const one of both) if (one.status === 'fulfilled') await one.value.result;
});

test('what another process asked to stop can be stopped again after it went on', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const owner = next();
  const other = next();
  const node = await owner.forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [hangs('One two three four.'), hangs('Eins zwei drei vier.')]);
  const { id, result } = await owner.engine.generate(node, { model: MODEL });
  await other.engine.stop(id);
  expect((await result).status).toBe('aborted');
  const again = await owner.engine.resume(id);
  await until(async () => emulator.log.length > 0);
  await other.engine.stop(id);
  expect((await again.result).status).toBe('aborted');
});

test('a summary belongs to the branch it was sent on', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const long = Array.from({ length: 6 }, (_, turn) => [user(`Question ${turn}`), assistant(`Answer ${turn}`)]).flat();
  const node = await forest.append(ROOT, [...long, user('Now?')]);
  emulator.script('anthropic-messages', [says('Whole.'), says('Short.'), says('Whole again.')]);
  const whole = await (await engine.generate(node, { model: MODEL })).result;
  await (await engine.generate(node, { model: MODEL, compaction: keepLast(2) })).result;
  const next = await forest.append(whole.branches[0]!.head, [user('And then?')]);
  await (await engine.generate(next, { model: MODEL })).result;
  const [first, shorter, last] = bodies(emulator);
  expect(first).toContain('Question 0');
  expect(shorter).not.toContain('Question 0');
  expect(last).toContain('Question 0');
});

test('a summary that was sent is sent again, also when the run failed behind it', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const long = Array.from({ length: 6 }, (_, turn) => [user(`Question ${turn}`), assistant(`Answer ${turn}`)]).flat();
  const node = await forest.append(ROOT, [...long, user('Now?')]);
  const ask = { blocks: [{ type: 'tool-use' as const, name: 'unknown_tool', input: {} }] };
  emulator.script('anthropic-messages', [ask, { error: { status: 400, message: 'no' } }, says('Done.')]);
  const options = { model: MODEL, retry: false } as const;
  const failed = await (await engine.generate(node, { ...options, compaction: keepLast(2) })).result;
  expect(failed.status).toBe('failed');
  await (await engine.resume(failed.id)).result;
  expect(bodies(emulator)).toHaveLength(3);
  for (const body of bodies(emulator)) expect(body).not.toContain('Question 0');
});

test('the parameters of a reply are in its take', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello')]);
  emulator.script('openai-chat', [says('One.'), says('Two.')]);
  const params = { temperature: 0.5, seed: 7 };
  await (await engine.generate(node, { model: 'openai-chat/gpt-4.1', params, n: 2 })).result;
  const { items } = await forest.children(node);
  expect(items.map(({ takes }) => takes[0]!.params).sort((a, b) => Number(a?.seed) - Number(b?.seed))).toEqual([
    { temperature: 0.5, seed: 7 },
    { temperature: 0.5, seed: 8 },
  ]);
});

test('sending turns again tells where it ended, and what failed', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const old = await forest.append(ROOT, [user('A?'), assistant('a'), user('B?'), assistant('b')]);
  emulator.script('anthropic-messages', [says('A!'), { error: { status: 400, message: 'no' } }]);
  const { head, generations } = await engine.rerun(old, { model: MODEL, retry: false });
  expect(generations.map(({ status }) => status)).toEqual(['done', 'failed']);
  expect((await forest.path(head)).map(({ message }) => message.text)).toEqual(['A?', 'A!', 'B?']);
});

test('sending turns again leaves what people wrote as it is, and takes their words from between results', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const old = await forest.append(ROOT, [
    user('A?'),
    assistant('a'),
    toolResult('x', 'lost'),
    user('B?'),
    assistant('b'),
  ]);
  emulator.script('anthropic-messages', [says('A!'), says('B!')]);
  const { head } = await engine.rerun(old, { model: MODEL });
  const path = await forest.path(head);
  expect(path[0]!.takes).toHaveLength(1);
  expect(path.map(({ message }) => message.text)).toEqual(['A?', 'A!', 'B?', 'B!']);
  const elsewhere = await forest.append(ROOT, [user('Elsewhere')]);
  await expect(engine.rerun(old, { model: MODEL, from: elsewhere })).rejects.toMatchObject({ code: 'not_above' });
});

test('a missing model is told at once', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello')]);
  await expect(engine.generate(node, {} as never)).rejects.toThrow('"model"');
  expect((await engine.list()).items).toEqual([]);
});

test('what belongs into the tree is not sent beside it', async () => {
  const emulator = await start();
  const { forest, engine } = processes(emulator)();
  const node = await forest.append(ROOT, [user('Hello')]);
  const options = { model: MODEL, system: 'Be brief.' };
  await expect(engine.generate(node, options)).rejects.toThrow('takes no "system": append system(…)');
  expect(emulator.log).toEqual([]);
});

test('the stream of a reply goes with gc once it is a message, and the stream of one that died stays', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const { forest, engine, store, die } = next();
  const node = await forest.append(ROOT, [user('Hello')]);
  emulator.script('anthropic-messages', [says('Done.')]);
  const done = await (await engine.generate(node, { model: MODEL })).result;
  emulator.script('anthropic-messages', [hangs('One two three four five.'), says('Done.')]);
  const died = await engine.generate(node, { model: MODEL });
  const wire = async (id: string) =>
    (await store.entries('event', { of: `${id}/0/wire` })).items.filter(({ data }) => data.text !== undefined).length;
  await until(async () => (await wire(died.id)) > 0);
  die();
  expect(await wire(done.id)).toBeGreaterThan(0);
  const other = next();
  await other.forest.gc();
  expect(await wire(done.id)).toBe(0);
  await (await other.engine.resume(died.id)).result;
  const texts = (await other.forest.children(node)).items.map(({ message }) => message.text);
  expect(texts.filter((text) => text.startsWith('One'))).toHaveLength(1);
});
