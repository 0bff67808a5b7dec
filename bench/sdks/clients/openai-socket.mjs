import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { SYSTEM, TOOL } from '../sdk.mjs';
import { readResponse } from './openai-responses.mjs';

const model = 'gpt-5.5';
const tools = [{ type: 'function', strict: false, ...TOOL }];

/** @type {import('../sdk.mjs').Sdk} */
export const sdk = {
  name: 'ResponsesWS',
  package: 'openai',
  protocol: 'openai-responses',
  modes: ['socket'],
  open({ proxy, key }) {
    const client = new OpenAI({ apiKey: key, baseURL: `${proxy}/openai/v1`, maxRetries: 0 });
    const socket = new ResponsesWS(client);
    let previous;
    const send = async (item) => {
      const response = await new Promise((resolve, reject) => {
        socket.once('response.completed', (event) => resolve(event.response));
        socket.once('error', reject);
        const request = { model, instructions: SYSTEM, tools, store: false, input: [item] };
        socket.send({ type: 'response.create', ...request, ...(previous && { previous_response_id: previous }) });
      });
      previous = response.id;
      return readResponse(response);
    };
    return {
      say: (content) => send({ type: 'message', role: 'user', content }),
      answer: ({ id }, output) => send({ type: 'function_call_output', call_id: id, output }),
      close: () => socket.close(),
    };
  },
};
