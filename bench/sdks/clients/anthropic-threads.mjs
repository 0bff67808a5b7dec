import Anthropic from '@anthropic-ai/sdk';
import { SYSTEM, TOOL } from '../sdk.mjs';
import { readMessage } from './anthropic.mjs';

const tools = [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }];

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'beta.messages.thread',
  package: '@anthropic-ai/sdk',
  protocol: 'anthropic-messages',
  modes: ['JSON', 'stream'],
  open({ proxy, key, isStreamed }) {
    const client = new Anthropic({ apiKey: key, baseURL: `${proxy}/anthropic`, maxRetries: 0 });
    const thread = client.beta.messages.thread({ model: 'claude-opus-5-5', max_tokens: 1000, system: SYSTEM, tools });
    const send = async (content) => {
      const message = { role: 'user', content };
      return readMessage(isStreamed ? await thread.stream(message).finalMessage() : await thread.send(message));
    };
    return { say: send, answer: ({ id }, content) => send([{ type: 'tool_result', tool_use_id: id, content }]) };
  },
};
