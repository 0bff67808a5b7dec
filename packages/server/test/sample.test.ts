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
  expect(await forest.usage({ below: 'root' })).toMatchObject({ replies: replies.length, withoutPrice: 0 });
  for (const { at } of nodes) expect(at).toBeLessThan(NOW);
  const { items } = await forest.threads.list();
  expect(items.map(({ title, tags }) => [title, tags])).toEqual([
    ['A reading week in Lisbon', ['sample']],
    ['A wet day in Graça', ['sample']],
    ['The older answer wins', ['sample']],
    ['A tile from the flea market', ['sample']],
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
