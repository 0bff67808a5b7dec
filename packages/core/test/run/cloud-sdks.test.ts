/** The vendors' own clients of the clouds are served by the emulator as our requests are. */
import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { BedrockRuntimeClient, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { startEmulator } from '@skein/emulator';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { OAuth2Client } from 'google-auth-library';
import { expect, onTestFinished, test } from 'vitest';

const ACCOUNT = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret' };

async function emulate() {
  const emulator = await startEmulator({ aws: ACCOUNT, sleep: async () => {} });
  onTestFinished(() => emulator.close());
  return emulator;
}

test('the SDK of AWS reads the frames of the emulator, and its signatures verify', async () => {
  const emulator = await emulate();
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: emulator.url,
    credentials: ACCOUNT,
    requestHandler: new NodeHttpHandler(),
  });
  onTestFinished(() => client.destroy());
  const messages = [{ role: 'user' as const, content: [{ text: 'Hello' }] }];
  const { stream } = await client.send(new ConverseStreamCommand({ modelId: 'us.amazon.nova-lite-v1:0', messages }));
  let text = '';
  for await (const { contentBlockDelta } of stream!) text += contentBlockDelta?.delta?.text ?? '';
  expect(text).toBe('Echo: Hello');
});

test('the SDK of Anthropic for Bedrock is served, whole and as a stream', async () => {
  const emulator = await emulate();
  const client = new AnthropicBedrock({
    awsAccessKey: ACCOUNT.accessKeyId,
    awsSecretKey: ACCOUNT.secretAccessKey,
    awsRegion: 'us-east-1',
    baseURL: emulator.url,
  });
  const request = {
    model: 'us.anthropic.claude-opus-4-8',
    max_tokens: 10,
    messages: [{ role: 'user' as const, content: 'Hello' }],
  };
  expect((await client.messages.create(request)).content).toMatchObject([{ text: 'Echo: Hello' }]);
  const events: string[] = [];
  for await (const event of await client.messages.create({ ...request, stream: true })) events.push(event.type);
  expect(events.at(-1)).toBe('message_stop');
  expect(emulator.log.map(({ verdict }) => verdict.refusal)).toEqual([undefined, undefined]);
});

test('the SDK of Anthropic for Vertex is served, whole and as a stream', async () => {
  const emulator = await emulate();
  const baseURL = `${emulator.url}/v1`;
  const authClient = new OAuth2Client();
  authClient.setCredentials({ access_token: 'ya29.any', expiry_date: Number.MAX_SAFE_INTEGER });
  const client = new AnthropicVertex({ region: 'global', projectId: 'p', authClient, baseURL });
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const request = { model: 'claude-opus-4-8', max_tokens: 10, messages };
  expect((await client.messages.create(request)).content).toMatchObject([{ text: 'Echo: Hello' }]);
  const events: string[] = [];
  for await (const event of await client.messages.create({ ...request, stream: true })) events.push(event.type);
  expect(events.at(-1)).toBe('message_stop');
  expect(emulator.log.map(({ path }) => path.split(':').at(-1))).toEqual(['rawPredict', 'streamRawPredict']);
});
