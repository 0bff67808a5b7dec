import Anthropic from '@anthropic-ai/sdk';
import { SYSTEM, TOOLS } from '../data/history.mjs';
import { MODELS } from '../endpoint.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Turn } from '../data/history.mjs' */

const model = MODELS['anthropic-messages'];

/** @type {Peer} */
export const peer = {
  stream(url) {
    const client = new Anthropic({ baseURL: url, apiKey: 'none' });
    const messages = [{ role: /** @type {const} */ ('user'), content: 'Hello' }];
    return async () => {
      let text = '';
      for await (const event of await client.messages.create({ model, max_tokens: 1024, messages, stream: true }))
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
      return text;
    };
  },
  turn(url, _protocol, turns) {
    const client = new Anthropic({ baseURL: url, apiKey: 'none' });
    const messages = turns.map(messageOf);
    const tools = TOOLS.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: { ...parameters, type: /** @type {const} */ ('object') },
    }));
    return async (more) => {
      messages.push(...more.map(messageOf));
      const { content } = await client.messages.create({ model, max_tokens: 1024, system: SYSTEM, tools, messages });
      return content[0]?.type === 'text' ? content[0].text : '';
    };
  },
};

/**
 * @param {Turn} turn
 * @returns {Anthropic.MessageParam}
 */
function messageOf(turn) {
  if (turn.kind === 'user') return { role: 'user', content: turn.text };
  if (turn.kind === 'result')
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: turn.call.id, content: turn.text }] };
  return {
    role: 'assistant',
    content: [
      { type: 'text', text: turn.text },
      ...turn.calls.map(({ id, name, input }) => ({ type: /** @type {const} */ ('tool_use'), id, name, input })),
    ],
  };
}
