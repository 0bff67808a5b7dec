import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, streamText, tool } from 'ai';

/** @import { Adapter, Turn } from '../adapter.mjs' */
/** @import { LanguageModel, ModelMessage } from 'ai' */

/**
 * The documentation keeps `messages` with `result.response.messages` pushed to it; a stateless client of Responses
 * stores nothing and asks for reasoning as ciphertext.
 * @type {Adapter}
 */
export const adapter = {
  name: 'Vercel AI SDK',
  packages: ['ai', '@ai-sdk/anthropic', '@ai-sdk/openai', '@ai-sdk/google'],
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'],
  streams: [false, true],
  async first(turn, system, question) {
    return JSON.stringify(await answered(turn, { system, messages: [{ role: 'user', content: question }] }));
  },
  async next(turn, saved, { say, results }) {
    const { system, messages } = JSON.parse(saved);
    if (say !== undefined) messages.push({ role: 'user', content: say });
    else {
      const content = results.map(({ id, name, text }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: 'text', value: text },
      }));
      messages.push({ role: 'tool', content });
    }
    await answered(turn, { system, messages });
  },
};

/**
 * @param {Turn} turn
 * @param {{ system: string, messages: ModelMessage[] }} kept
 */
async function answered(turn, { system, messages }) {
  const tools = Object.fromEntries(
    turn.tools.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
  const stateless = { openai: { store: false, include: ['reasoning.encrypted_content'] } };
  const providerOptions = turn.protocol === 'openai-responses' ? stateless : {};
  const asked = { model: modelOf(turn), system, messages, tools, providerOptions, maxRetries: 0 };
  if (!turn.stream) return { system, messages: [...messages, ...(await generateText(asked)).response.messages] };
  /** @type {unknown} */
  let failed;
  const result = streamText({
    ...asked,
    onError: ({ error }) => {
      failed = error;
    },
  });
  await result.consumeStream();
  if (failed !== undefined) throw failed;
  return { system, messages: [...messages, ...(await result.response).messages] };
}

/**
 * @param {Turn} turn
 * @returns {LanguageModel}
 */
function modelOf({ protocol, baseUrl, model }) {
  const apiKey = 'none';
  if (protocol === 'anthropic-messages') return createAnthropic({ baseURL: `${baseUrl}/v1`, apiKey })(model);
  if (protocol === 'google-generatecontent')
    return createGoogleGenerativeAI({ baseURL: `${baseUrl}/v1beta`, apiKey })(model);
  const openai = createOpenAI({ baseURL: baseUrl, apiKey });
  return protocol === 'openai-chat' ? openai.chat(model) : openai.responses(model);
}
