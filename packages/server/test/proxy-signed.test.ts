/** Clients that sign: a signature covers the host, so the proxy signs again, with the server's credentials. */
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { says, startEmulator } from '@skein/emulator';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, onTestFinished, test } from 'vitest';
import { startWorld } from './kit.ts';
import { recorded } from './proxy-kit.ts';

const ACCOUNT = { accessKeyId: 'AKIDSERVER', secretAccessKey: 'the-secret-of-the-server' };
const SERVER = { AWS_ACCESS_KEY_ID: ACCOUNT.accessKeyId, AWS_SECRET_ACCESS_KEY: ACCOUNT.secretAccessKey };
const modelId = 'us.anthropic.claude-opus-4-8';
const messages = [{ role: 'user' as const, content: [{ text: 'Hello, “ü”' }] }];

async function world(env: Record<string, string>, proxy: object = {}) {
  const bedrock = await startEmulator({ aws: ACCOUNT, sleep: async () => {} });
  onTestFinished(() => bedrock.close());
  const { server, forest } = await startWorld({
    env: { ...env, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: bedrock.url },
    proxy,
  });
  const client = (credentials: typeof ACCOUNT) => {
    const made = new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: `${server.url}/proxy/bedrock`,
      credentials,
      // Its own one speaks HTTP/2, which a local server without a certificate does not.
      requestHandler: new NodeHttpHandler(),
      maxAttempts: 1,
    });
    onTestFinished(() => made.destroy());
    return made;
  };
  return { bedrock, forest, client };
}

test('the SDK of AWS asks through the proxy, whole and as a stream, and is recorded', async () => {
  const { bedrock, forest, client } = await world(SERVER);
  bedrock.script('bedrock-converse', [says('One.'), says('Two, in several pieces.', { pieces: 5 })]);
  const sdk = client({ ...ACCOUNT, secretAccessKey: 'what the proxy does not look at' });
  const whole = await sdk.send(new ConverseCommand({ modelId, messages }));
  expect(whole.output?.message?.content).toEqual([{ text: 'One.' }]);
  const next = [...messages, whole.output!.message!, { role: 'user' as const, content: [{ text: 'And?' }] }];
  const { stream } = await sdk.send(new ConverseStreamCommand({ modelId, messages: next }));
  let text = '';
  for await (const { contentBlockDelta } of stream!) text += contentBlockDelta?.delta?.text ?? '';
  expect(text).toBe('Two, in several pieces.');
  expect(bedrock.log.map(({ verdict }) => verdict.refusal)).toEqual([undefined, undefined]);
  const exchanges = await recorded(forest, 2);
  expect(exchanges.map(({ notes }) => notes)).toEqual(
    Array(2).fill(['The proxy signed this request with the credentials of the server.']),
  );
  expect((await forest.threads.list()).items).toHaveLength(1);
});

test('another account is refused in the form of the API, unless clients may use the keys of the server', async () => {
  const other = { accessKeyId: 'AKIDOTHER', secretAccessKey: 'another-secret' };
  const closed = await world(SERVER);
  await expect(closed.client(other).send(new ConverseCommand({ modelId, messages }))).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message: expect.stringContaining('signed for the host of this proxy'),
  });
  expect(closed.bedrock.log).toEqual([]);
  const open = await world(SERVER, { useServerKeys: true });
  const { output } = await open.client(other).send(new ConverseCommand({ modelId, messages }));
  expect(output?.message?.content).toEqual([{ text: 'Echo: Hello, “ü”' }]);
});
