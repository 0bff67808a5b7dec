/** Traffic of the clouds, recorded and replayed: binary streams, and APIs of several vendors at one host. */
import { loadDialect, registerSigner, run, user } from '@skein/core';
import { createGoogleSigner } from '@skein/core/node';
import { listExchanges, recordFetch } from '@skein/forest';
import { afterEach, expect, test } from 'vitest';
import { expectAccepted, start } from './kit.ts';
import { newForest } from './record-kit.ts';

afterEach(() => registerSigner('google-auth', createGoogleSigner()));

test.each([
  ['bedrock/us.anthropic.claude-opus-5-5', 'bedrock-converse'],
  ['bedrock-invoke/us.anthropic.claude-opus-5-5', 'anthropic-messages'],
  ['vertex-anthropic/claude-opus-5-5', 'anthropic-messages'],
  ['cohere/command-a-03-2025', 'cohere-chat'],
] as const)('%s: turns are one conversation, and replay with the network off', async (model, protocol) => {
  registerSigner('google-auth', createGoogleSigner({ token: () => 'ya29.a-token' }));
  const emulator = await start();
  const forest = newForest();
  const errors: unknown[] = [];
  const fetch = recordFetch(forest, { onError: (error) => errors.push(error) });
  const env = {
    ...emulator.env(),
    ANTHROPIC_VERTEX_BASE_URL: emulator.url,
    ANTHROPIC_BEDROCK_BASE_URL: emulator.url,
    GOOGLE_CLOUD_PROJECT: 'p',
  };
  const messages = [user('One, “ü”')];
  for (const turn of [1, 2, 3]) {
    const { messages: said } = await run({ model, env, messages, fetch: fetch as typeof globalThis.fetch }).result;
    messages.push(...said, user(`Turn ${turn}`));
  }
  await fetch.settled();
  expect(errors).toEqual([]);
  expectAccepted(emulator);
  const { items: threads } = await forest.threads.list();
  expect(threads).toHaveLength(1);
  const path = await forest.path(threads[0]!.head);
  expect(path.map(({ message }) => message.role)).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
  expect(path.map(({ message }) => message.origin.dialect).at(-1)).toBe(protocol);
  expect(path.at(-1)!.message.text).toBe('Echo: Turn 2');
  const { items: exchanges } = await listExchanges(forest);
  expect(exchanges.map((one) => [one.outcome, one.model])).toEqual(Array(3).fill(['done', model.split('/')[1]]));
  expect(JSON.stringify(exchanges)).not.toContain('ya29');

  await emulator.close();
  const replay = recordFetch(forest, { mode: 'replay' });
  const again = await run({ model, env, messages: messages.slice(0, 1), fetch: replay as typeof globalThis.fetch })
    .text;
  expect(again).toBe('Echo: One, “ü”');
});

test('both APIs of Bedrock are told apart at one address', async () => {
  await loadDialect('bedrock-converse');
  const { readAddress } = await import('@skein/forest');
  const stream = readAddress('POST', '/model/us.anthropic.claude-opus-4-8/invoke-with-response-stream', 'bedrock');
  expect(stream).toMatchObject({
    kind: 'generate',
    dialect: 'anthropic-messages',
    model: 'us.anthropic.claude-opus-4-8',
  });
  expect(readAddress('POST', '/model/a%3A0/converse-stream', 'bedrock')).toMatchObject({
    dialect: 'bedrock-converse',
    model: 'a:0',
  });
});
