import OpenAI from 'openai';
import { SYSTEM, TOOLS } from '../data/history.mjs';
import { MODELS } from '../endpoint.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Turn } from '../data/history.mjs' */

const model = MODELS['openai-chat'];

/** @type {Peer} */
export const peer = {
  stream(url, protocol) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
    if (protocol === 'openai-responses')
      return async () => {
        let text = '';
        for await (const event of await client.responses.create({ model, input: 'Hello', stream: true }))
          if (event.type === 'response.output_text.delta') text += event.delta;
        return text;
      };
    const messages = [{ role: /** @type {const} */ ('user'), content: 'Hello' }];
    return async () => {
      let text = '';
      for await (const chunk of await client.chat.completions.create({ model, messages, stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
      return text;
    };
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
      return async (more) => {
        input.push(...more.flatMap(itemsOf));
        return (await client.responses.create({ model, instructions: SYSTEM, tools, input })).output_text;
      };
    }
    /** @type {OpenAI.ChatCompletionMessageParam[]} */
    const messages = [{ role: 'developer', content: SYSTEM }, ...turns.map(messageOf)];
    const tools = TOOLS.map((definition) => ({ type: /** @type {const} */ ('function'), function: definition }));
    return async (more) => {
      messages.push(...more.map(messageOf));
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
