/** `apiVersion`: Anthropic's versions differ in how the key is sent and in what they take. */
import { anthropicMessages, Chat, type RunOptions, resolveEndpoint, resolveKey, run, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { anthropic, ask, bodies, expectAccepted, start, weather } from './kit.ts';

const OLD = '2023-06-01';
const NEW = '2026-10-21';
const CALL = { blocks: [{ type: 'tool-use' as const, name: 'get_weather', input: { city: 'Oslo' } }] };

describe.each<[string | undefined, string, object]>([
  [undefined, OLD, { 'x-api-key': 'a-key' }],
  [OLD, OLD, { 'x-api-key': 'a-key' }],
  [NEW, NEW, { authorization: 'Bearer a-key' }],
])('the version %s', (apiVersion, sent, credential) => {
  const options: Omit<RunOptions, 'model' | 'messages'> = {
    apiVersion,
    apiKey: 'a-key',
    tools: [weather],
    params: { temperature: 1, topP: 1 },
  };

  test('is named in the header, with the credential in the form of its SDK', async () => {
    const emulator = await start();
    await ask(emulator, anthropic, { ...options, messages: [user('Hi')] }).result;
    const { headers } = emulator.log[0]!;
    expect(headers['anthropic-version']).toBe(sent);
    expect(headers).toMatchObject(credential);
    expect('x-api-key' in headers && 'authorization' in headers).toBe(false);
  });

  test.each([{ stream: true }, { stream: false }, { serverState: true }])('accepts a loop: %j', async (more) => {
    const emulator = await start();
    emulator.script('anthropic-messages', [CALL, says('Warm.')]);
    const result = await ask(emulator, anthropic, { ...options, ...more, messages: [user('Weather?')] }).result;
    expect(result.text).toBe('Warm.');
    expectAccepted(emulator);
    expect(result.messages[0]!.origin.apiVersion).toBe(sent);
  });

  test('takes sampling parameters, or they are losses', async () => {
    const emulator = await start();
    const { losses } = await ask(emulator, anthropic, { ...options, messages: [user('Hi')] }).result;
    const body = JSON.parse(bodies(emulator)[0]!);
    expect([body.temperature, body.top_p]).toEqual(sent === NEW ? [undefined, undefined] : [1, 1]);
    expect(losses.map(({ kind, path }) => [kind, path])).toEqual(
      sent === NEW
        ? [
            ['dropped', 'params.temperature'],
            ['dropped', 'params.topP'],
          ]
        : [],
    );
  });

  test('takes messages of the other version', async () => {
    const emulator = await start();
    const citation = {
      type: 'char_location',
      cited_text: 'a',
      document_index: 0,
      start_char_index: 0,
      end_char_index: 1,
    };
    const cited = { type: 'text', text: 'Said.', citations: [{ ...citation, document_title: null }] };
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' } };
    const messages = [
      { role: 'user', content: [document, cited] },
      { role: 'assistant', content: [cited, document] },
      { role: 'user', content: 'And?' },
    ].map((message) => anthropicMessages.parseMessage(JSON.stringify(message)));
    const { losses } = await ask(emulator, anthropic, { ...options, params: {}, messages }).result;
    expectAccepted(emulator);
    expect(losses.map(({ message, path }) => `${message} ${path}`)).toEqual(
      sent === NEW ? ['0 content[1].citations', '1 content[1]'] : [],
    );
    expect(bodies(emulator)[0]!.split('"citations"')).toHaveLength(sent === NEW ? 2 : 3);
  });
});

test('strict refuses to leave a temperature out', async () => {
  const emulator = await start();
  const options = { apiVersion: NEW, strict: true, params: { temperature: 0 }, messages: [user('Hi')] };
  await expect(ask(emulator, anthropic, options).result).rejects.toMatchObject({ code: 'would_lose' });
});

test('a token of the environment is a credential of the new version only, behind the key', () => {
  const { home } = anthropicMessages;
  const env = { ANTHROPIC_AUTH_TOKEN: 'token', ANTHROPIC_API_KEY: 'key' };
  const keyOf = (apiVersion: string, given: Record<string, string>) =>
    resolveKey(resolveEndpoint(home, { apiVersion, env: given }).provider, { env: given });
  expect(keyOf(NEW, env)).toBe('key');
  expect(keyOf(NEW, { ANTHROPIC_AUTH_TOKEN: 'token' })).toBe('token');
  expect(() => keyOf(OLD, { ANTHROPIC_AUTH_TOKEN: 'token' })).toThrow('No key for anthropic');
});

test('a chat and a model of its own have a version, and other providers do not get it', async () => {
  const emulator = await start();
  const env = emulator.env();
  const chat = new Chat({ model: 'anthropic/claude-opus-5-5', env, apiVersion: NEW });
  await chat.chatWithState(undefined, [user('One')]);
  emulator.script('anthropic-messages', [{ error: { status: 529, message: 'Overloaded' } }]);
  const choice = { provider: anthropicMessages.home, model: 'claude-opus-5-5', apiVersion: NEW };
  await run({ model: choice, fallback: ['google/gemini-2.5-flash'], env, messages: [user('Hi')], retry: false }).result;
  expect(emulator.log.map(({ headers }) => headers['anthropic-version'])).toEqual(expect.arrayContaining([NEW]));
  expectAccepted(emulator);
});

test.each([
  ['bedrock-invoke', 'us.anthropic.claude-opus-5-5'],
  ['vertex-anthropic', 'claude-opus-5-5'],
])('%s has the version in the body', async (provider, model) => {
  const emulator = await start();
  const env = { ...emulator.env(), ANTHROPIC_VERTEX_BASE_URL: emulator.url, GOOGLE_CLOUD_PROJECT: 'p' };
  const options = { env, apiKey: 'a-key', apiVersion: NEW, params: { temperature: 1 }, messages: [user('Hi')] };
  const { losses } = await run({ model: `${provider}/${model}`, ...options }).result;
  expect(JSON.parse(bodies(emulator)[0]!).anthropic_version).toBe(NEW);
  expect(losses.map(({ path }) => path)).toEqual(['params.temperature']);
  expectAccepted(emulator);
});
