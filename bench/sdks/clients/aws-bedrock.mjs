import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SYSTEM, TOOL } from '../sdk.mjs';

const modelId = 'us.amazon.nova-lite-v1:0';
const { name, description, parameters } = TOOL;
const toolConfig = { tools: [{ toolSpec: { name, description, inputSchema: { json: parameters } } }] };

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'ConverseCommand',
  package: '@aws-sdk/client-bedrock-runtime',
  protocol: 'bedrock-converse',
  modes: ['JSON', 'stream'],
  open({ proxy, key, isStreamed }) {
    const client = new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: `${proxy}/bedrock`,
      token: { token: key },
      authSchemePreference: ['httpBearerAuth'],
      // Its own one speaks HTTP/2, which a local server without a certificate does not.
      requestHandler: new NodeHttpHandler(),
      maxAttempts: 1,
    });
    const messages = [];
    const send = async (block) => {
      messages.push({ role: 'user', content: [block] });
      const request = { modelId, system: [{ text: SYSTEM }], toolConfig, messages };
      const message = isStreamed
        ? await readFrames((await client.send(new ConverseStreamCommand(request))).stream)
        : (await client.send(new ConverseCommand(request))).output.message;
      messages.push(message);
      const calls = message.content.flatMap(({ toolUse }) => toolUse ?? []);
      return {
        text: message.content.map(({ text = '' }) => text).join(''),
        calls: calls.map((call) => ({ id: call.toolUseId, name: call.name, input: call.input })),
      };
    };
    return {
      say: (text) => send({ text }),
      answer: ({ id }, text) => send({ toolResult: { toolUseId: id, content: [{ text }] } }),
      close: () => client.destroy(),
    };
  },
};

async function readFrames(frames) {
  const content = [];
  for await (const { contentBlockStart: start, contentBlockDelta: piece } of frames) {
    if (start?.start?.toolUse) content[start.contentBlockIndex] = { toolUse: { ...start.start.toolUse, input: '' } };
    if (piece?.delta?.text !== undefined) {
      content[piece.contentBlockIndex] ??= { text: '' };
      content[piece.contentBlockIndex].text += piece.delta.text;
    }
    if (piece?.delta?.toolUse) content[piece.contentBlockIndex].toolUse.input += piece.delta.toolUse.input;
  }
  for (const { toolUse } of content) if (toolUse) toolUse.input = JSON.parse(toolUse.input);
  return { role: 'assistant', content };
}
