import OpenAI from 'openai';
import { SYSTEM, TOOL } from '../sdk.mjs';

const model = 'gpt-5.5';
const tools = [{ type: 'function', strict: false, ...TOOL }];

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'responses',
  package: 'openai',
  protocol: 'openai-responses',
  modes: ['JSON', 'stream'],
  open({ proxy, key, isStreamed }) {
    const client = new OpenAI({ apiKey: key, baseURL: `${proxy}/openai/v1`, maxRetries: 0 });
    let previous;
    const send = async (item) => {
      const request = { model, instructions: SYSTEM, tools, input: [item], previous_response_id: previous };
      const response = isStreamed
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      previous = response.id;
      return readResponse(response);
    };
    return {
      say: (content) => send({ role: 'user', content }),
      answer: ({ id }, output) => send({ type: 'function_call_output', call_id: id, output }),
    };
  },
};

export function readResponse({ output }) {
  const text = output.flatMap(({ content = [] }) => content.map((part) => part.text ?? '')).join('');
  const calls = output
    .filter(({ type }) => type === 'function_call')
    .map(({ call_id, name, arguments: input }) => ({ id: call_id, name, input: JSON.parse(input) }));
  return { text, calls };
}
