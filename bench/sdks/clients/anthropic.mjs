import Anthropic from '@anthropic-ai/sdk';
import { SYSTEM, TOOL } from '../sdk.mjs';

const tools = [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }];

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'messages',
  package: '@anthropic-ai/sdk',
  protocol: 'anthropic-messages',
  modes: ['JSON', 'stream'],
  open: ({ proxy, key, isStreamed }) =>
    converse(
      new Anthropic({ apiKey: key, baseURL: `${proxy}/anthropic`, maxRetries: 0 }),
      'claude-opus-5-5',
      isStreamed,
    ),
};

/** A conversation with any of Anthropic's clients. */
export function converse({ messages: api }, model, isStreamed) {
  const messages = [];
  const send = async (content) => {
    messages.push({ role: 'user', content });
    const request = { model, max_tokens: 1000, system: SYSTEM, tools, messages };
    const reply = isStreamed ? await api.stream(request).finalMessage() : await api.create(request);
    messages.push({ role: 'assistant', content: reply.content });
    return readMessage(reply);
  };
  return {
    say: send,
    answer: ({ id }, content) => send([{ type: 'tool_result', tool_use_id: id, content }]),
  };
}

export function readMessage({ content }) {
  const text = content.map((block) => block.text ?? '').join('');
  return { text, calls: content.filter(({ type }) => type === 'tool_use') };
}
