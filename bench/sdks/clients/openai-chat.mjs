import OpenAI from 'openai';
import { SYSTEM, TOOL } from '../sdk.mjs';

const model = 'gpt-5.5';
const tools = [{ type: 'function', function: TOOL }];

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'chat.completions',
  package: 'openai',
  protocol: 'openai-chat',
  modes: ['JSON', 'stream'],
  open({ proxy, key, isStreamed }) {
    const client = new OpenAI({ apiKey: key, baseURL: `${proxy}/openai/v1`, maxRetries: 0 });
    const messages = [{ role: 'developer', content: SYSTEM }];
    const send = async (message) => {
      messages.push(message);
      const request = { model, messages, tools };
      const { choices } = isStreamed
        ? await client.chat.completions.stream(request).finalChatCompletion()
        : await client.chat.completions.create(request);
      // What the SDK adds to a streamed message is for programs: its own runner removes it before it sends the message back.
      const { parsed: _, ...reply } = choices[0].message;
      messages.push(reply);
      const calls = (reply.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
        id,
        name,
        input: JSON.parse(input),
      }));
      return { text: reply.content ?? '', calls };
    };
    return {
      say: (content) => send({ role: 'user', content }),
      answer: ({ id }, content) => send({ role: 'tool', tool_call_id: id, content }),
    };
  },
};
