import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { type GatewayConfig, loadConfig } from '@skein/agents';
import { costOf } from '@skein/core/prices';
import { says } from '@skein/emulator';
import { createForest, listExchanges, memoryStore, readRecorded } from '@skein/forest';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { anthropicClient, openaiClient } from './gateway-kit.ts';
import { startWorld } from './kit.ts';

const NONE: GatewayConfig = { routes: [], fallback: [], tokens: [] };

async function startGateway(gateway: Partial<GatewayConfig>, more: Parameters<typeof startWorld>[0] = {}) {
  const { config } = await loadConfig({ cwd: '/', env: {}, home: '/nonexistent' });
  return startWorld({ config: { ...config, gateway: { ...NONE, ...gateway } }, generate: { costOf }, ...more });
}

const chat = (model: string) => ({ model, messages: [{ role: 'user' as const, content: 'Hello' }] });
const messages = (model: string) => ({ ...chat(model), max_tokens: 100 });
const failure = async (work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> =>
  work.then(
    () => expect.fail('It was answered.'),
    (error) => error,
  );

test('a route leads to another provider, and a bare name without one to the vendor', async () => {
  const { server, emulator } = await startGateway({
    routes: [{ pattern: 'claude-*', provider: 'openai-chat', model: 'gpt-5.2' }],
  });
  emulator.script('openai-chat', [says('From GPT.'), says('Untouched.')]);
  const reply = await anthropicClient(server.url).messages.create(messages('claude-opus-5-5'));
  expect(reply).toMatchObject({ model: 'claude-opus-5-5', content: [{ type: 'text', text: 'From GPT.' }] });
  const bare = await openaiClient(server.url).chat.completions.create(chat('gpt-5.2'));
  expect(bare.choices[0]!.message.content).toBe('Untouched.');
  expect(emulator.log.map(({ path }) => path.split('?')[0])).toEqual(['/v1/chat/completions', '/v1/chat/completions']);
});

test('unknown models and paths are the 404 of each client', async () => {
  const { server } = await startGateway({});
  const unknown = await failure(openaiClient(server.url).chat.completions.create(chat('nobody/model')));
  expect(unknown).toMatchObject({ status: 404, code: 'model_not_found' });
  expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
  const named = await failure(anthropicClient(server.url).messages.create(messages('nobody/model')));
  expect(named).toBeInstanceOf(Anthropic.NotFoundError);
  const path = await failure(openaiClient(server.url).get('/vector_stores', {}));
  expect(path).toMatchObject({ status: 404 });
  expect((await fetch(`${server.url}/gateway/nobody/v1`)).status).toBe(404);
});

test('what the gateway does not serve goes to the vendor of a client that brought a key', async () => {
  const { server, emulator } = await startGateway({});
  const own = new OpenAI({ apiKey: 'sk-own', baseURL: `${server.url}/gateway/openai/v1`, maxRetries: 0 });
  await failure(own.get('/vector_stores', {}));
  expect(emulator.log.at(-1)).toMatchObject({ path: '/v1/vector_stores' });
  expect(emulator.log.at(-1)!.headers.authorization).toBe('Bearer sk-own');
});

test("what the vendor keeps under the server's account is not for clients without a key of their own", async () => {
  const { server, emulator } = await startGateway({});
  const missing = await failure(openaiClient(server.url).responses.retrieve('resp_of_the_operator'));
  expect(missing).toMatchObject({ status: 404, code: 'not_found' });
  expect(emulator.log).toHaveLength(0);
  const own = new OpenAI({ apiKey: 'sk-own', baseURL: `${server.url}/gateway/openai/v1`, maxRetries: 0 });
  expect(await failure(own.responses.retrieve('resp_of_mine'))).toMatchObject({ status: 404 });
  expect(emulator.log.map(({ path }) => path)).toEqual(['/v1/responses/resp_of_mine']);
});

test('lists of models name what the keys can reach, as the SDK of each client reads them', async () => {
  const { server } = await startGateway({ routes: [{ pattern: 'fast', provider: 'openai', model: 'gpt-5.2' }] });
  const listed: string[] = [];
  for await (const { id } of openaiClient(server.url).models.list()) listed.push(id);
  expect(listed).toEqual(expect.arrayContaining(['fast', 'gpt-5.2', 'anthropic/claude-sonnet-4-5']));
  const claude: string[] = [];
  for await (const { id } of anthropicClient(server.url).models.list({ limit: 50 })) claude.push(id);
  expect(claude).toEqual(expect.arrayContaining(['fast', 'claude-sonnet-4-5', 'openai/gpt-5.2']));
  expect(new Set(claude).size).toBe(claude.length);
  const google = new GoogleGenAI({ apiKey: 'skein', httpOptions: { baseUrl: `${server.url}/gateway/google` } });
  const gemini: (string | undefined)[] = [];
  for await (const { name } of await google.models.list({ config: { pageSize: 100 } })) gemini.push(name);
  expect(gemini).toEqual(expect.arrayContaining(['models/fast', 'models/openai/gpt-5.2']));
  const one = await anthropicClient(server.url).models.retrieve('openai/gpt-5.2');
  expect(one).toMatchObject({ id: 'openai/gpt-5.2', type: 'model', max_input_tokens: expect.any(Number) });
  await failure(openaiClient(server.url).models.retrieve('nobody/model'));
});

test('tokens are counted by the provider where it counts, and estimated elsewhere, which is said', async () => {
  const { server, emulator } = await startGateway({});
  const counted = await anthropicClient(server.url)
    .messages.countTokens(chat('google/gemini-3-pro-preview'))
    .withResponse();
  expect(counted.data.input_tokens).toBeGreaterThan(0);
  expect(counted.response.headers.get('x-skein-estimate')).toBeNull();
  expect(emulator.log.at(-1)!.path).toMatch(/gemini-3-pro-preview:countTokens$/);
  const estimated = await anthropicClient(server.url).messages.countTokens(chat('groq/llama-4')).withResponse();
  expect(estimated.data.input_tokens).toBe(2);
  expect(estimated.response.headers.get('x-skein-estimate')).toBe('true');
  const google = new GoogleGenAI({ apiKey: 'skein', httpOptions: { baseUrl: `${server.url}/gateway/google` } });
  const count = await google.models.countTokens({ model: 'anthropic/claude-sonnet-4-5', contents: 'Hello' });
  expect(count.totalTokens).toBeGreaterThan(0);
  const { input_tokens } = await openaiClient(server.url).responses.inputTokens.count({
    model: 'anthropic/claude-sonnet-4-5',
    input: 'Hello',
  });
  expect(input_tokens).toBeGreaterThan(0);
});

test('a conversation is compacted by any model, and goes on from its summary', async () => {
  const { server, emulator } = await startGateway({});
  emulator.script('anthropic-messages', [says('The user likes Oslo.'), says('Oslo.')]);
  const openai = openaiClient(server.url);
  const model = 'anthropic/claude-sonnet-4-5';
  const compacted = await openai.responses.compact({
    model,
    input: [
      { role: 'user', content: 'I like Oslo.' },
      { role: 'assistant', content: 'Noted.' },
    ],
  });
  expect(compacted.object).toBe('response.compaction');
  expect(compacted.output.map((item) => item.type ?? 'message')).toEqual(['message', 'compaction']);
  const input = [...compacted.output, { role: 'user', content: 'What do I like?' }] as OpenAI.Responses.ResponseInput;
  const reply = await openai.responses.create({ model, input });
  expect(reply.output_text).toBe('Oslo.');
  expect(String(emulator.log.at(-1)!.body)).toContain('The user likes Oslo.');
  expect(emulator.log.every(({ verdict }) => verdict.refusal === undefined)).toBe(true);
});

test('budgets are the 429 of each client and outlive the server, and the metrics count without secrets', async () => {
  const forest = createForest(memoryStore());
  const tokens = [
    { name: 'ci', variable: 'CI_TOKEN', budget: { costPerDay: 0.000001 } },
    { name: 'bot', variable: 'BOT_TOKEN', budget: { requestsPerMinute: 1 } },
  ];
  const start = async () => {
    const world = await startWorld();
    const env = { ...world.emulator.env(), CI_TOKEN: 'ci-secret', BOT_TOKEN: 'bot-secret' };
    return startGateway({ tokens }, { forest, env });
  };
  const { server } = await start();
  const client = (url: string, apiKey: string) =>
    new Anthropic({ apiKey, baseURL: `${url}/gateway/anthropic`, maxRetries: 0 });
  expect(await failure(client(server.url, 'skein').messages.create(messages('openai/gpt-5.2')))).toBeInstanceOf(
    Anthropic.AuthenticationError,
  );
  await client(server.url, 'ci-secret').messages.create(messages('openai/gpt-5.2'));
  const spent = await failure(client(server.url, 'ci-secret').messages.create(messages('openai/gpt-5.2')));
  expect(spent).toBeInstanceOf(Anthropic.RateLimitError);
  expect(spent).toMatchObject({ status: 429, error: { type: 'error', error: { type: 'rate_limit_error' } } });
  expect(Number(spent.headers?.get('retry-after'))).toBeGreaterThan(0);
  await client(server.url, 'bot-secret').messages.create(messages('openai/gpt-5.2'));
  const hasty = await failure(client(server.url, 'bot-secret').messages.create(messages('openai/gpt-5.2')));
  expect(Number(hasty.headers?.get('retry-after'))).toBeLessThanOrEqual(60);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(/skein_gateway_requests_total\{[^}]*token="ci",route="openai\/\*",status="200"\} 1/);
  expect(metrics).toMatch(/skein_gateway_requests_total\{[^}]*token="ci",route="openai\/\*",status="429"\} 1/);
  expect(metrics).toMatch(/skein_gateway_cost_dollars_total\{token="ci",route="openai\/\*"\} 0\.\d+/);
  expect(metrics).toMatch(/skein_gateway_tokens_total\{token="ci",route="openai\/\*",kind="input"\} \d+/);
  expect(metrics).not.toContain('secret');
  await server.close();
  const again = await start();
  expect(
    await failure(client(again.server.url, 'ci-secret').messages.create(messages('openai/gpt-5.2'))),
  ).toMatchObject({
    status: 429,
  });
  expect(
    await failure(client(again.server.url, 'bot-secret').messages.create(messages('openai/gpt-5.2'))),
  ).toMatchObject({ status: 429 });
});

test('no token reaches a provider or a recording', async () => {
  const forest = createForest(memoryStore());
  const world = await startWorld();
  const env = { ...world.emulator.env(), CI_TOKEN: 'ci-secret-of-the-gateway' };
  const { server } = await startGateway(
    { tokens: [{ name: 'ci', variable: 'CI_TOKEN', budget: {} }] },
    { forest, env },
  );
  const client = new OpenAI({
    apiKey: 'ci-secret-of-the-gateway',
    baseURL: `${server.url}/gateway/openai/v1`,
    maxRetries: 0,
  });
  await client.chat.completions.create(chat('anthropic/claude-sonnet-4-5'));
  await client.chat.completions.create(chat('gpt-5.2'));
  expect(world.emulator.log.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/chat/completions']);
  for (const { headers, body } of world.emulator.log)
    expect(`${JSON.stringify(headers)}${body}`).not.toContain('ci-secret');
  await server.close();
  const { items } = await listExchanges(forest, {});
  expect(items.map(({ gateway }) => gateway)).toEqual([
    { token: 'ci', route: 'anthropic/*' },
    { token: 'ci', route: 'pass' },
  ]);
  for (const { id } of items) {
    const { exchange, request, response } = (await readRecorded(forest, id))!;
    expect(`${JSON.stringify(exchange)}${Buffer.from(request!)}${Buffer.from(response)}`).not.toContain('ci-secret');
  }
});
