import { join } from 'node:path';
import { forestTools, loadAgent } from '@skein/agents';
import { assistant, user } from '@skein/core';
import { says } from '@skein/emulator';
import { createEngine, openForest, ROOT } from '@skein/forest';
import { expect, test } from 'vitest';
import { call, configIn, emulator, folderWith } from './kit.ts';

test('an agent finds and reads earlier conversations, and nothing that was removed', async () => {
  const forest = await openForest(':memory:');
  const head = await forest.append(ROOT, [user('Where are my keys?'), assistant('Under the blue sofa.')]);
  const gone = await forest.append(ROOT, [user('The sofa code is 4711.')]);
  await forest.remove(gone);
  const [search, read] = forestTools(forest);
  expect(await call(search, { text: 'sofa' })).toEqual({
    hits: [{ id: head, role: 'assistant', text: expect.stringContaining('blue sofa') }],
  });
  expect(await call(read, { id: head })).toBe('user: Where are my keys?\n\nassistant: Under the blue sofa.');
  await expect(call(read, { id: gone })).rejects.toThrow('no message with that id');
  await expect(call(read, { id: 'nonsense' })).rejects.toThrow(Error);
});

test('what an agent brings is what the engine takes, and no key is stored', async () => {
  const started = await emulator();
  started.script('anthropic-messages', [
    { blocks: [{ type: 'tool-use', name: 'search_forest', input: { text: 'keys' } }] },
    says('Under the sofa.'),
  ]);
  const forest = await openForest(':memory:');
  const folder = await folderWith({
    'a.yaml': 'provider: anthropic\nmodel: claude-opus-5-5\ntools: [search_forest, read_branch]\n',
  });
  const { config } = await configIn(folder);
  const env = { ...started.env(), ANTHROPIC_API_KEY: 'the-key-itself' };
  const agent = await loadAgent(join(folder, 'a.yaml'), { config, env, forest });
  const { system: _, ...options } = (await agent.options()).options;
  const head = await forest.append(ROOT, [user('Where are my keys?')]);
  const generation = await createEngine(forest).generate(head, { ...options, label: agent.name });
  const { status, branches } = await generation.result;
  expect(status).toBe('done');
  const path = await forest.path(branches[0]!.head);
  expect(path.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  const stored = JSON.stringify([await forest.store.entries('generation'), path]);
  expect(stored).not.toContain('the-key-itself');
});
