import { CohereClientV2 } from 'cohere-ai';
import { SYSTEM, TOOL } from '../sdk.mjs';

const model = 'command-a-03-2025';
const tools = [{ type: 'function', function: TOOL }];

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'CohereClientV2',
  package: 'cohere-ai',
  protocol: 'cohere-chat',
  modes: ['JSON', 'stream'],
  open({ proxy, key, isStreamed }) {
    const client = new CohereClientV2({ token: key, baseUrl: `${proxy}/cohere`, maxRetries: 0 });
    const messages = [{ role: 'system', content: SYSTEM }];
    const send = async (message) => {
      messages.push(message);
      const request = { model, tools, messages };
      const reply = isStreamed
        ? await readEvents(await client.chatStream(request))
        : (await client.chat(request)).message;
      messages.push(reply);
      const calls = reply.toolCalls ?? [];
      return {
        text: (reply.content ?? []).map(({ text = '' }) => text).join(''),
        calls: calls.map((call) => ({
          id: call.id,
          name: call.function.name,
          input: JSON.parse(call.function.arguments),
        })),
      };
    };
    return {
      say: (content) => send({ role: 'user', content }),
      answer: ({ id }, content) => send({ role: 'tool', toolCallId: id, content }),
    };
  },
};

async function readEvents(events) {
  const reply = { role: 'assistant' };
  for await (const { type, index, delta } of events) {
    const message = delta?.message;
    if (type === 'content-start') {
      reply.content ??= [];
      reply.content[index] = { type: 'text', text: message.content.text ?? '' };
    }
    if (type === 'content-delta') reply.content[index].text += message.content.text;
    if (type === 'tool-plan-delta') reply.toolPlan = `${reply.toolPlan ?? ''}${message.toolPlan}`;
    if (type === 'tool-call-start') {
      reply.toolCalls ??= [];
      reply.toolCalls[index] = message.toolCalls;
    }
    if (type === 'tool-call-delta') reply.toolCalls[index].function.arguments += message.toolCalls.function.arguments;
  }
  return reply;
}
