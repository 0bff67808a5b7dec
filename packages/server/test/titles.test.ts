/** Titles that a model makes, where the configuration wants them. */
import { loadConfig } from '@skein/agents';
import { costOf } from '@skein/core/prices';
import { says, startEmulator } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import type { Log, ServerOptions } from '@skein/server';
import { expect, onTestFinished, test } from 'vitest';
import { question, startWorld } from './kit.ts';

/** A provider with a key; its first reply is the answer, its second the title. */
async function start(titles: 'words' | 'model', options: Partial<ServerOptions> = {}) {
  const provider = await startEmulator();
  onTestFinished(() => provider.close());
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL } = provider.env();
  const env = { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL };
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  const logged: string[] = [];
  const log: Log = { info: () => undefined, error: (event) => logged.push(event) };
  const forest = createForest(memoryStore());
  const world = await startWorld({
    forest,
    env,
    config: { ...config, titles },
    generate: { costOf, retry: false },
    model: 'anthropic/claude-sonnet-4-5',
    log,
    ...options,
  });
  const begin = async (body: object = {}) => {
    const { body: thread } = await world.api('POST', '/threads', { messages: [question('Why is it wet?')], ...body });
    const asked = { node: thread.head, thread: thread.id };
    const { body: generation } = await world.api('POST', '/generations', asked);
    await fetch(`${world.server.url}/api/v1/generations/${generation.id}/events`).then((response) => response.text());
    return thread.id as string;
  };
  const title = async (thread: string) => (await forest.threads.get(thread)).title;
  return { ...world, provider, begin, title, logged };
}

test('a model titles a conversation that has its answer; the request is a side call that usage counts', async () => {
  const { provider, begin, title, forest } = await start('model');
  provider.script('anthropic-messages', [says('It rained.'), says('"Rain at night"')]);
  const thread = await begin();
  await expect.poll(() => title(thread)).toBe('Rain at night');
  const all = (await forest.threads.list()).items;
  expect(all.map(({ part }) => part).toSorted()).toEqual(['main', 'side']);
  expect(await forest.usage({ since: 0 })).toMatchObject({ replies: 2, withoutPrice: 0 });
});

test('a title that a person gave stays, and nobody is asked for one', async () => {
  const { provider, begin, title } = await start('model');
  provider.script('anthropic-messages', [says('It rained.'), says('It rained again.'), says('Rain')]);
  const named = await begin({ title: 'Mine' });
  const other = await begin();
  await expect.poll(() => title(other)).toBe('Rain');
  expect(await title(named)).toBe('Mine');
  expect(provider.log).toHaveLength(3);
});

test('a failure is logged, and the first words stay the title', async () => {
  const { provider, begin, title, logged } = await start('model');
  provider.script('anthropic-messages', [says('It rained.'), { error: { status: 500, message: 'broken' } }]);
  const thread = await begin();
  await expect.poll(() => logged).toContain('title-failed');
  expect(await title(thread)).toBe('Why is it wet?');
});

test.each([
  ['by default', 'words', false],
  ['in the demo', 'model', true],
] as const)('no model is asked for titles %s', async (_when, titles, isDemo) => {
  const demo = await startEmulator();
  onTestFinished(() => demo.close());
  const { provider, begin, title } = await start(titles, isDemo ? { env: {}, demo: demo.env() } : {});
  const thread = await begin();
  await new Promise((done) => setTimeout(done, 1500));
  expect(await title(thread)).toBe('Why is it wet?');
  expect((isDemo ? demo : provider).log).toHaveLength(1);
});
