import { createForest, type Forest, type ForestNode, memoryStore } from '@skein/forest';
import { seedSample } from '@skein/server';
import { expect, test } from 'vitest';
import { startWorld } from './kit.ts';

const NOW = Date.UTC(2026, 10, 16, 12);

async function seeded(): Promise<Forest> {
  const forest = createForest(memoryStore());
  await seedSample(forest, NOW);
  return forest;
}

async function everyNode(forest: Forest): Promise<readonly ForestNode[]> {
  return (await forest.descendants('root', { limit: 1000 })).items;
}

test('the sample is the same wherever it is written, and once however often', async () => {
  const [one, other] = [await seeded(), await seeded()];
  const ids = async (forest: Forest) => (await everyNode(forest)).map(({ id }) => id);
  expect(await ids(one)).toEqual(await ids(other));
  const { next } = await one.changes();
  await seedSample(one, NOW + 5000);
  expect((await one.changes(next)).items).toEqual([]);
  expect(await one.fsck()).toEqual([]);
});

test('it shows what there is to see', async () => {
  const forest = await seeded();
  const nodes = await everyNode(forest);
  expect(nodes.length).toBeGreaterThanOrEqual(40);
  const kinds = new Set(nodes.flatMap(({ message }) => message.content.map(({ type }) => type)));
  expect(kinds).toEqual(new Set(['text', 'reasoning', 'tool-use', 'tool-result', 'media', 'refusal', 'unknown']));
  expect(new Set(nodes.map(({ dialect }) => dialect))).toEqual(
    new Set(['blocks', 'anthropic-messages', 'openai-chat', 'google-generatecontent']),
  );
  const replies = nodes.filter(({ takes }) => takes.some(({ author }) => author === 'model'));
  for (const { takes } of replies) expect(takes[0]).toMatchObject({ usage: { native: expect.any(String) } });
  // What a log of an agent has is priced when it is shown.
  const logged = replies.filter(({ takes }) => takes[0]!.cost === undefined).length;
  expect(await forest.usage({ below: 'root' })).toMatchObject({ replies: replies.length, withoutPrice: logged });
  for (const { at } of nodes) expect(at).toBeLessThan(NOW);
  const { items } = await forest.threads.list();
  expect(items.map(({ title, tags }) => [title, tags])).toEqual([
    ['A reading week in Lisbon', ['sample']],
    ['A wet day in Graça', ['sample']],
    ['The older answer wins', ['sample']],
    ['A tile from the flea market', ['sample']],
    ['A cent too much', ['sample']],
    ['Find every place in src that rounds a price. Report file, line and how it round…', ['sample']],
  ]);
  const isCited = ({ message }: ForestNode) =>
    message.content.some((block) => block.type === 'text' && block.citations !== undefined);
  expect(nodes.filter(isCited)).toHaveLength(2);
  expect((await forest.bookmarks.list()).items).toHaveLength(1);
});

test.each(['anthropic/claude-sonnet-4-5', 'openai-chat/gpt-5.5', 'openai/gpt-5.5', 'google/gemini-3.5-flash'])(
  'every conversation of it can be gone on with by %s',
  async (model) => {
    const forest = await seeded();
    const { api } = await startWorld({ forest });
    for (const { head } of (await forest.threads.list()).items) {
      const asked = await api('POST', `/nodes/${head}/messages`, {
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Go on.' }] }],
      });
      const { body } = await api('POST', '/generations', { node: asked.body.id, model });
      await expect.poll(async () => (await api('GET', `/generations/${body.id}`)).body.status).not.toBe('running');
      const { body: done } = await api('GET', `/generations/${body.id}`);
      expect(done.branches[0].error?.message ?? 'answered').toBe('answered');
    }
  },
);

test('a session of a coding agent is told step by step: prompts, files, commands, a subagent, a compaction, the cost', async () => {
  const forest = await seeded();
  const { costOf } = await import('@skein/core/prices');
  const { api } = await startWorld({ forest, generate: { costOf } });
  const agent = (await forest.threads.list({ agent: 'claude-code' })).items;
  const subagent = agent.find(({ part }) => part === 'subagent')!;
  // The session is the same by whichever of its threads it is asked for.
  const { body } = await api('GET', `/threads/${subagent.id}/session`);
  expect(body.main.thread).toMatchObject({ cwd: '/home/mira/shop', branch: 'fix/cart-total', part: 'main' });
  const steps = body.main.steps;
  expect(steps.map((step: { prompt: string }) => step.prompt)).toEqual([
    'The total of the cart is sometimes a cent too high. Find out why.',
    'Fix it, and add a test that would have caught it.',
    'Add it to the changelog.',
  ]);
  const [test, look] = steps[0].acts;
  expect(test).toMatchObject({ command: { text: 'npm test -- cart' }, result: { isError: true } });
  expect(look).toMatchObject({ tool: 'Task', subagent: subagent.id });
  expect(body.subagents).toMatchObject([{ thread: { id: subagent.id }, steps: [{ replies: 2 }] }]);
  const files = steps[1].acts.flatMap((act: { files: object[] }) => act.files);
  expect(files).toMatchObject([
    { path: '/home/mira/shop/src/cart.ts', changes: [{ before: {}, after: {} }] },
    { path: '/home/mira/shop/src/rounding.test.ts', whole: 'written' },
  ]);
  expect(steps[1]).toMatchObject({ usage: { cacheRead: 39_290 }, withoutPrice: 0, answer: { said: { isCut: false } } });
  expect(steps[1].cost).toBeGreaterThan(0.01);
  expect(steps[2].compacted).toMatchObject({ messages: expect.any(Number), replacement: { isCut: false } });
});

test('calls are found by tool and file, within the sessions of an agent, a folder or a branch', async () => {
  const forest = await seeded();
  const { api } = await startWorld({ forest });
  const find = async (query: string) => (await api('GET', `/search?${query}`)).body.items.length;
  expect(await find('file=src/cart.ts')).toBe(2);
  expect(await find('file=src/cart.ts&tool=Edit&cwd=/home/mira&branch=fix/cart-total')).toBe(1);
  expect(await find('file=cart.t')).toBe(0);
  expect(await find('tool=Bash&agent=claude-code')).toBe(2);
  expect(await find('tool=Bash&agent=codex')).toBe(0);
  expect(await find('q=rounded&cwd=/home/mira/shop')).toBeGreaterThan(0);
  expect(await find('q=rounded&cwd=/home/mira/sho')).toBe(0);
  const { items } = (await api('GET', '/threads?branch=fix/cart-total')).body;
  expect(items).toHaveLength(2);
});
