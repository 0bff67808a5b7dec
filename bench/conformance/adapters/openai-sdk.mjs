import OpenAI from 'openai';

/** @import { Adapter, Turn } from '../adapter.mjs' */

/**
 * The README keeps `messages` with `choice.message` pushed to it, and `input` with `response.output`; a stateless client of
 * Responses stores nothing and asks for reasoning as ciphertext.
 * @type {Adapter}
 */
export const adapter = {
  name: 'OpenAI SDK',
  packages: ['openai'],
  protocols: ['openai-chat', 'openai-responses'],
  streams: [false, true],
  async first(turn, system, question) {
    const history = [
      { role: 'system', content: system },
      { role: 'user', content: question },
    ];
    return JSON.stringify(await answered(turn, history));
  },
  async next(turn, saved, { say, results }) {
    const outputs = results.map(({ id, text }) =>
      turn.protocol === 'openai-chat'
        ? { role: 'tool', tool_call_id: id, content: text }
        : { type: 'function_call_output', call_id: id, output: text },
    );
    const said = say === undefined ? [] : [{ role: 'user', content: say }];
    await answered(turn, [...JSON.parse(saved), ...outputs, ...said]);
  },
};

/**
 * @param {Turn} turn
 * @param {any[]} history
 */
async function answered({ protocol, baseUrl, model, stream, tools }, history) {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: 'none', maxRetries: 0 });
  if (protocol === 'openai-chat') {
    const offered = tools.map((definition) => ({ type: /** @type {const} */ ('function'), function: definition }));
    const asked = { model, messages: history, tools: offered };
    if (stream) return [...history, await client.chat.completions.stream(asked).finalMessage()];
    return [...history, (await client.chat.completions.create(asked)).choices[0]?.message];
  }
  const offered = tools.map((definition) => ({
    type: /** @type {const} */ ('function'),
    strict: false,
    ...definition,
  }));
  const include = /** @type {OpenAI.Responses.ResponseIncludable[]} */ (['reasoning.encrypted_content']);
  const asked = { model, input: history, tools: offered, store: false, include };
  const { output } = stream
    ? await client.responses.stream(asked).finalResponse()
    : await client.responses.create(asked);
  return [...history, ...output];
}
