import { GoogleGenAI } from '@google/genai';

/** @import { Adapter, Turn } from '../adapter.mjs' */

/**
 * The documentation keeps `chat.getHistory()` and begins the next chat with it.
 * @type {Adapter}
 */
export const adapter = {
  name: 'Google Gen AI SDK',
  packages: ['@google/genai'],
  protocols: ['google-generatecontent'],
  streams: [false, true],
  async first(turn, system, question) {
    const chat = chatOf(turn, system, []);
    await sent(turn, chat, question);
    return JSON.stringify({ system, history: chat.getHistory() });
  },
  async next(turn, saved, { say, results }) {
    const { system, history } = JSON.parse(saved);
    const parts = results.map(({ id, name, text }) => ({
      functionResponse: { id, name, response: { output: text } },
    }));
    await sent(turn, chatOf(turn, system, history), say ?? parts);
  },
};

/**
 * @param {Turn} turn
 * @param {string} systemInstruction
 * @param {any[]} history
 */
function chatOf({ baseUrl, model, tools }, systemInstruction, history) {
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } });
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return client.chats.create({ model, history, config: { systemInstruction, tools: [{ functionDeclarations }] } });
}

/**
 * @param {Turn} turn
 * @param {ReturnType<typeof chatOf>} chat
 * @param {any} message
 */
async function sent({ stream }, chat, message) {
  if (!stream) return chat.sendMessage({ message });
  let last;
  for await (const chunk of await chat.sendMessageStream({ message })) last = chunk;
  return last;
}
