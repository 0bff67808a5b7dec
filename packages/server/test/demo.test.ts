/** A server without keys: who is answered by the demo, and what is under /samples. */
import http from 'node:http';
import https from 'node:https';
import { startEmulator } from '@skein/emulator';
import { createForest, memoryStore } from '@skein/forest';
import { type ServerOptions, seedSample } from '@skein/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startWorld, type World } from './kit.ts';
import { recorded } from './proxy-kit.ts';

/** Two emulators: one is the demo, the other a provider at an address that somebody configured. */
async function startDemo(options: Partial<ServerOptions> = {}) {
  const demo = await startEmulator({ brain: 'demo' });
  onTestFinished(() => demo.close());
  const world = await startWorld({ env: {}, demo: demo.env(), ...options });
  return { ...world, demo };
}

const ask = ({ server }: Pick<World, 'server'>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/proxy/anthropic/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: JSON.stringify({
      model: 'claude-sonnet-4-5',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  });

test.each([
  ['no key', {}],
  ['the key that says that there is none', { 'x-api-key': 'skein' }],
])('a client with %s is answered by the demo, and told so; it costs nothing', async (_what, headers) => {
  const price = { total: 5 };
  const world = await startDemo({ generate: { costOf: () => price } });
  const answer = await ask(world, headers as Record<string, string>);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-skein-demo')).toBe('true');
  await answer.text();
  expect(world.demo.log).toHaveLength(1);
  await recorded(world.forest, 1);
  const { items } = (await world.api('GET', '/recordings')).body;
  expect(items).toMatchObject([{ cost: 0 }]);
});

test('an answer of the demo is stored as its own, not as one of the provider, which would refuse its signature', async () => {
  const world = await startDemo();
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
  const { id, head } = (await world.api('POST', '/threads', { messages })).body;
  const asked = { node: head, thread: id, model: 'anthropic/claude-sonnet-5' };
  const generation = (await world.api('POST', '/generations', asked)).body.id;
  await fetch(`${world.server.url}/api/v1/generations/${generation}/events`).then((response) => response.text());
  await (await ask(world)).text();
  await recorded(world.forest, 1);
  const { items } = await world.forest.threads.list();
  const heads = await Promise.all(items.map(({ head }) => world.forest.node(head)));
  expect(heads.map(({ message }) => message.origin.issuer)).toEqual(['skein-demo', 'skein-demo']);
});

test('a client with a key reaches its provider, not the demo', async () => {
  const provider = await startEmulator();
  onTestFinished(() => provider.close());
  const asked: unknown[] = [];
  // What would go to the vendor goes to another emulator.
  const spy = vi.spyOn(https, 'request').mockImplementation(((options: http.RequestOptions) => {
    asked.push(options.hostname);
    const { hostname, port } = new URL(provider.url);
    return http.request({ ...options, hostname, port, agent: undefined });
  }) as typeof https.request);
  onTestFinished(() => spy.mockRestore());
  const world = await startDemo();
  const answer = await ask(world, { 'x-api-key': 'sk-ant-of-the-client' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-skein-demo')).toBeNull();
  expect(asked).toEqual(['api.anthropic.com']);
  expect(provider.log).toHaveLength(1);
  expect(world.demo.log).toHaveLength(0);
});

test('a client whose provider has a configured address reaches that, with a key or without', async () => {
  const provider = await startEmulator();
  onTestFinished(() => provider.close());
  const world = await startDemo({ env: { ANTHROPIC_BASE_URL: provider.env().ANTHROPIC_BASE_URL } });
  const refused = await ask(world);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('x-skein-demo')).toBeNull();
  const answered = await ask(world, { 'x-api-key': 'sk-ant-of-the-client' });
  expect(answered.status).toBe(200);
  expect(answered.headers.get('x-skein-demo')).toBeNull();
  expect(provider.log).toHaveLength(2);
  expect(world.demo.log).toHaveLength(0);
});

test('the samples are under an address of their own, and nowhere among the conversations of people', async () => {
  const samples = createForest(memoryStore(), { project: 'samples' });
  await seedSample(samples);
  const world = await startDemo({ samples });
  expect((await world.api('GET', '/version')).body).toMatchObject({ demo: true, samples: true });
  for (const path of ['/threads', '/search?q=Lisbon', '/topology', '/bookmarks'])
    expect((await world.api('GET', path)).body.items, path).toEqual([]);
  const under = (path: string, body?: object) =>
    fetch(`${world.server.url}/samples/api/v1${path}`, {
      headers: { 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    }).then(async (response) => ({
      status: response.status,
      body: (await response.json()) as Record<string, unknown[]>,
    }));
  expect((await under('/version')).body).toMatchObject({ demo: true, samples: false });
  expect((await under('/threads')).body.items?.length).toBeGreaterThan(2);
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Mine' }] }];
  expect(await under('/threads', { messages })).toMatchObject({ status: 201, body: { title: 'Mine' } });
  expect((await world.api('GET', '/threads')).body.items).toEqual([]);
});

test('without samples there is nothing under their address', async () => {
  const { server } = await startWorld();
  expect((await fetch(`${server.url}/samples/api/v1/threads`)).status).toBe(404);
});
