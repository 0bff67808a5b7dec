/** What clients must not be able to do to the gateway, to its operator's money, or to other clients. */
import { type GatewayConfig, loadConfig } from '@skein/agents';
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { expect, test } from 'vitest';
import { startWorld, type World } from './kit.ts';

const NONE: GatewayConfig = { routes: [], fallback: [], tokens: [] };
const CHAT = '/gateway/openai/v1/chat/completions';

async function startGateway(gateway: Partial<GatewayConfig>, env?: Record<string, string>) {
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  return startWorld({
    config: { ...config, gateway: { ...NONE, ...gateway } },
    generate: { costOf },
    ...(env && { env }),
  });
}

function post({ server }: Pick<World, 'server'>, path: string, body: object | string, headers = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const chat = (model: string, more: object = {}) => ({ model, messages: [{ role: 'user', content: 'Hello' }], ...more });

test('one request asks for no more replies than the vendor gives', async () => {
  const world = await startGateway({});
  const many = await post(world, CHAT, chat('anthropic/claude-sonnet-4-5', { n: 100_000 }));
  expect(many.status).toBe(400);
  expect(await many.json()).toMatchObject({ error: { param: 'n' } });
  for (const candidateCount of [9, 1.5]) {
    const google = await post(world, '/gateway/google/v1beta/models/anthropic/claude-sonnet-4-5:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      generationConfig: { candidateCount },
    });
    expect(google.status).toBe(400);
  }
  expect(world.emulator.log).toHaveLength(0);
});

test('a token with a budget in dollars cannot leave out the recording that its costs are counted by', async () => {
  const { emulator } = await startWorld();
  const tokens = [
    { name: 'ci', variable: 'CI_TOKEN', budget: { costPerDay: 1 } },
    { name: 'free', variable: 'FREE_TOKEN', budget: {} },
  ];
  const world = await startGateway({ tokens }, { ...emulator.env(), CI_TOKEN: 'ci-secret', FREE_TOKEN: 'free-secret' });
  const ask = (token: string, headers: Record<string, string>) =>
    post(world, CHAT, chat('gpt-5.2'), { authorization: `Bearer ${token}`, ...headers });
  for (const headers of [{ 'x-skein-mode': 'pass' }, { 'x-skein-skip': 'true' }]) {
    const refused = await ask('ci-secret', headers);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('x-skein-mode');
  }
  expect(emulator.log).toHaveLength(0);
  expect((await ask('ci-secret', {})).status).toBe(200);
  expect((await ask('free-secret', { 'x-skein-mode': 'pass' })).status).toBe(200);
});

test('a model whose name no header can carry is answered, and the header has the name encoded', async () => {
  const world = await startGateway({});
  for (const name of ['modèle', 'a\r\nx-evil: 1']) {
    world.emulator.script('openai-chat', says('Hello.'));
    const answer = await post(world, '/gateway/anthropic/v1/messages', {
      ...chat(`openai-chat/${name}`),
      max_tokens: 100,
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Hello.')]);
    expect(decodeURIComponent(answer.headers.get('x-skein-model')!)).toBe(`openai-chat/${name}`);
    expect(answer.headers.get('x-evil')).toBeNull();
  }
});

test('a request that names no model, or whose body cannot be read, is told so', async () => {
  const world = await startGateway({});
  for (const body of ['{"messages":[]}', 'no JSON', '']) {
    const answer = await post(world, CHAT, body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: 'model', message: expect.stringContaining('model') } });
  }
  const packed = await post(world, CHAT, 'not packed', { 'content-encoding': 'gzip' });
  expect(packed.status).toBe(400);
  expect(await packed.text()).toContain('content-encoding');
});

test('a very long name of a model is not matched against routes', async () => {
  const world = await startGateway({ routes: [{ pattern: '*a*a*a*b', provider: 'openai', model: 'gpt-5.2' }] });
  const answer = await post(world, CHAT, chat('a'.repeat(100_000)));
  expect(answer.status).toBe(404);
  expect((await answer.text()).length).toBeLessThan(1000);
});
