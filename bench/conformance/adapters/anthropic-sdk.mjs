import Anthropic from '@anthropic-ai/sdk';

/** @import { Adapter, Turn } from '../adapter.mjs' */

/**
 * The documentation keeps `messages` with `{ role: 'assistant', content: response.content }` pushed to it.
 * @type {Adapter}
 */
export const adapter = {
  name: 'Anthropic SDK',
  packages: ['@anthropic-ai/sdk'],
  protocols: ['anthropic-messages'],
  streams: [false, true],
  async first(turn, system, question) {
    return JSON.stringify(await answered(turn, { system, messages: [{ role: 'user', content: question }] }));
  },
  async next(turn, saved, { say, results }) {
    const { system, messages } = JSON.parse(saved);
    const content = results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text }));
    messages.push({ role: 'user', content: say ?? content });
    await answered(turn, { system, messages });
  },
};

/**
 * @param {Turn} turn
 * @param {{ system: string, messages: any[] }} kept
 */
async function answered({ baseUrl, model, stream, tools }, { system, messages }) {
  const client = new Anthropic({ baseURL: baseUrl, apiKey: 'none', maxRetries: 0 });
  const offered = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: { ...parameters, type: /** @type {const} */ ('object') },
  }));
  const asked = { model, max_tokens: 1024, system, messages, tools: offered };
  const { content } = stream ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked);
  return { system, messages: [...messages, { role: 'assistant', content }] };
}
