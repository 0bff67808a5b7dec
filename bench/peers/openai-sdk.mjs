import OpenAI from 'openai';
import { SYSTEM, TOOLS } from '../data/history.mjs';
import { MODELS } from '../endpoint.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Turn } from '../data/history.mjs' */

const model = MODELS['openai-chat'];

/** @type {Peer} */
export const openaiSdk = {
  name: 'OpenAI SDK',
  package: 'openai',
  protocols: ['openai-chat', 'openai-responses'],
  stream(url, protocol) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
    if (protocol === 'openai-responses')
      return async () => (await client.responses.stream({ model, input: 'Hello' }).finalResponse()).output_text;
    const messages = [{ role: /** @type {const} */ ('user'), content: 'Hello' }];
    return async () => (await client.chat.completions.stream({ model, messages }).finalContent()) ?? '';
  },
  turn(url, protocol, turns) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
    if (protocol === 'openai-responses') {
      const input = turns.flatMap(itemsOf);
      const tools = TOOLS.map((definition) => ({
        type: /** @type {const} */ ('function'),
        strict: false,
        ...definition,
      }));
      return async () => (await client.responses.create({ model, instructions: SYSTEM, tools, input })).output_text;
    }
    /** @type {OpenAI.ChatCompletionMessageParam[]} */
    const messages = [{ role: 'developer', content: SYSTEM }, ...turns.map(messageOf)];
    const tools = TOOLS.map((definition) => ({ type: /** @type {const} */ ('function'), function: definition }));
    return async () => {
      const { choices } = await client.chat.completions.create({ model, tools, messages });
      return choices[0]?.message.content ?? '';
    };
  },
};

/**
 * @param {Turn} turn
 * @returns {OpenAI.ChatCompletionMessageParam}
 */
function messageOf(turn) {
  if (turn.kind === 'user') return { role: 'user', content: turn.text };
  if (turn.kind === 'result') return { role: 'tool', tool_call_id: turn.call.id, content: turn.text };
  const calls = turn.calls.map(({ id, name, input }) => ({
    id,
    type: /** @type {const} */ ('function'),
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { role: 'assistant', content: turn.text, ...(calls.length > 0 && { tool_calls: calls }) };
}

/**
 * @param {Turn} turn
 * @returns {OpenAI.Responses.ResponseInputItem[]}
 */
function itemsOf(turn) {
  if (turn.kind === 'user') return [{ role: 'user', content: turn.text }];
  if (turn.kind === 'result') return [{ type: 'function_call_output', call_id: turn.call.id, output: turn.text }];
  return [
    { role: 'assistant', content: turn.text },
    ...turn.calls.map(({ id, name, input }) => ({
      type: /** @type {const} */ ('function_call'),
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    })),
  ];
}
