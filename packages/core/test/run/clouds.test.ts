/** The clouds that serve the models of others: addresses, keys, signatures, frames and errors. */

import { type ProviderError, provider, RunError, registerSigner, resolveEndpoint, run, user } from '@skein/core';
import { createAwsSigner, createGoogleSigner } from '@skein/core/node';
import { startEmulator } from '@skein/emulator';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { weather } from './kit.ts';

const ACCOUNT = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const CLAUDE = 'us.anthropic.claude-opus-5-5';
const messages = [user('How is the weather in Zürich?')];

async function emulate(options: Parameters<typeof startEmulator>[0] = {}) {
  const emulator = await startEmulator({ seed: 'clouds', sleep: async () => {}, ...options });
  onTestFinished(() => emulator.close());
  return emulator;
}

const CALL = { type: 'tool-use', name: 'get_weather', input: { city: 'Zürich' } } as const;
const THOUGHT = { type: 'thinking', text: 'They want the weather.' } as const;

describe.each(['bedrock', 'bedrock-invoke'])('%s', (name) => {
  const protocol = name === 'bedrock' ? 'bedrock-converse' : 'anthropic-messages';
  const model = `${name}/${CLAUDE}`;

  test.each([true, false])(
    'a signed tool loop is accepted by whoever checks the signature, stream: %s',
    async (stream) => {
      const emulator = await emulate({ aws: ACCOUNT, settings: { enforcePrefix: true } });
      emulator.script(protocol, [{ blocks: [THOUGHT, CALL] }, { blocks: [THOUGHT, { type: 'text', text: 'Cold.' }] }]);
      const env = {
        AWS_ENDPOINT_URL_BEDROCK_RUNTIME: emulator.url,
        AWS_ACCESS_KEY_ID: ACCOUNT.accessKeyId,
        AWS_SECRET_ACCESS_KEY: ACCOUNT.secretAccessKey,
        AWS_REGION: 'eu-central-1',
      };
      expect(await run({ model, env, messages, stream, tools: [weather] }).text).toBe('Cold.');
      const paths = emulator.log.map(({ path }) => path);
      const verb = name === 'bedrock' ? ['converse', 'converse-stream'] : ['invoke', 'invoke-with-response-stream'];
      expect(paths).toEqual(Array(2).fill(`/model/${CLAUDE}/${verb[Number(stream)]}`));
      expect(emulator.log[0]!.headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-central-1\/bedrock\//,
      );
      expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual([undefined, undefined]);
    },
  );

  test('a key goes before a signature, and neither is an error that names both', async () => {
    const emulator = await emulate({ key: 'bedrock-key' });
    const at = { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: emulator.url };
    const env = { ...at, AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key', AWS_ACCESS_KEY_ID: 'A', AWS_SECRET_ACCESS_KEY: 'S' };
    expect(await run({ model, env, messages }).text).toContain('Echo:');
    expect(emulator.log[0]!.headers.authorization).toBe('Bearer bedrock-key');
    await expect(run({ model, env: at, messages }).text).rejects.toThrow(
      /AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID/,
    );
  });

  test('a wrong secret is refused, and is in no error', async () => {
    const emulator = await emulate({ aws: ACCOUNT });
    const env = {
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: emulator.url,
      AWS_ACCESS_KEY_ID: ACCOUNT.accessKeyId,
      AWS_SECRET_ACCESS_KEY: 'a-wrong-secret',
      AWS_SESSION_TOKEN: 'a-session-token',
    };
    const error = await run({ model, env, messages, retry: false }).result.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({ code: 'permission', status: 403 });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/a-wrong-secret|a-session-token/);
  });

  test('an exception inside the stream is the error that it is', async () => {
    const emulator = await emulate();
    const text = 'Never heard in full.';
    emulator.script(protocol, {
      blocks: [{ type: 'text', text }],
      pieces: 4,
      streamError: { afterEvents: 4, status: 429, message: 'Too many tokens.' },
    });
    const env = { ...emulator.env() };
    const error = await run({ model, env, messages, retry: false }).result.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining('Too many tokens.'), code: 'rate_limit' });
    expect((error as RunError).messages[0]).toMatchObject({ origin: { cut: true } });
  });

  test('a stream with a wrong checksum is an error, and what came before is kept', async () => {
    const emulator = await emulate();
    emulator.script(protocol, { blocks: [{ type: 'text', text: 'It is cold there.' }], pieces: 5 });
    await run({ model, env: emulator.env(), messages }).text;
    const bytes = Uint8Array.from(emulator.log[0]!.served!.body);
    bytes[bytes.length - 300]! ^= 1;
    emulator.script(protocol, {
      raw: { headers: { 'content-type': 'application/vnd.amazon.eventstream' }, body: bytes },
    });
    const error = await run({ model, env: emulator.env(), messages, retry: false }).result.catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ message: expect.stringContaining('checksum') });
  });
});

describe('vertex', () => {
  const PLACE = { GOOGLE_CLOUD_PROJECT: 'my-project' };

  test.each([
    ['global', 'https://aiplatform.googleapis.com'],
    ['us', 'https://aiplatform.us.rep.googleapis.com'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
    ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com'],
  ])('the host of %s is %s', (region, host) => {
    const env = { ...PLACE, CLOUD_ML_REGION: region };
    const { baseUrl, connection } = resolveEndpoint(provider('vertex-anthropic'), { env });
    expect(baseUrl).toBe(host);
    expect(connection.path).toBe(
      `/v1/projects/my-project/locations/${region}/publishers/anthropic/models/{model}:rawPredict`,
    );
  });

  afterEach(() => registerSigner('google-auth', createGoogleSigner()));

  test.each([
    ['vertex-anthropic/claude-opus-5-5@20260901', 'anthropic-messages', 'ANTHROPIC_VERTEX_BASE_URL'],
    ['vertex/gemini-3-pro-preview', 'google-generatecontent', 'GOOGLE_VERTEX_BASE_URL'],
  ] as const)('%s: a tool loop with tokens of the account', async (model, protocol, variable) => {
    const emulator = await emulate({ key: 'ya29.a-token', settings: { enforcePrefix: true } });
    registerSigner('google-auth', createGoogleSigner({ token: () => 'ya29.a-token' }));
    for (const stream of [true, false]) {
      emulator.script(protocol, [{ blocks: [THOUGHT, CALL] }, { blocks: [{ type: 'text', text: 'Cold.' }] }]);
      const env = { ...PLACE, [variable]: emulator.url };
      expect(await run({ model, env, messages, stream, tools: [weather] }).text).toBe('Cold.');
    }
    expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual(Array(4).fill(undefined));
    const { path, body } = emulator.log[0]!;
    expect(path).toContain('/projects/my-project/locations/global/publishers/');
    expect(JSON.parse(body.toString())).not.toHaveProperty('model');
  });

  test('a token that a provider repeats is in no error', async () => {
    registerSigner('google-auth', createGoogleSigner({ token: () => 'ya29.secret-token' }));
    const fetch = async () =>
      new Response('{"error":{"message":"bad token ya29.secret-token","code":401}}', { status: 401 });
    const error = await run({
      model: 'vertex/gemini-3-pro-preview',
      env: PLACE,
      messages,
      fetch,
      retry: false,
    }).result.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'authentication' });
    expect(String((error as ProviderError).message)).not.toContain('secret-token');
  });
});

test('credentials of AWS may come from anywhere', async () => {
  const sign = createAwsSigner({ credentials: () => ACCOUNT, region: 'us-west-2', now: () => Date.UTC(2026, 0, 1) });
  const request = {
    method: 'POST',
    url: 'https://bedrock-runtime.us-west-2.amazonaws.com/model/a%3A0/converse',
    headers: {},
    body: '{}',
    env: {},
  };
  const { authorization } = await sign(request);
  expect(authorization).toContain('Credential=AKIDEXAMPLE/20260101/us-west-2/bedrock/aws4_request');
});
