import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, streamText, tool } from 'ai';
import { SYSTEM, TOOLS } from '../data/history.mjs';
import { MODELS } from '../endpoint.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Turn } from '../data/history.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */
/** @import { JSONSchema7, LanguageModel, ModelMessage } from 'ai' */

/** @type {Peer} */
export const peer = {
  stream(url, protocol) {
    const model = modelOf(url, protocol);
    return async () => {
      let text = '';
      for await (const piece of streamText({ model, prompt: 'Hello' }).textStream) text += piece;
      return text;
    };
  },
  turn(url, protocol, turns) {
    const model = modelOf(url, protocol);
    const messages = turns.map(messageOf);
    const tools = Object.fromEntries(
      TOOLS.map(({ name, description, parameters }) => [
        name,
        tool({ description, inputSchema: jsonSchema(/** @type {JSONSchema7} */ (parameters)) }),
      ]),
    );
    return async (more) => {
      messages.push(...more.map(messageOf));
      return (await generateText({ model, system: SYSTEM, tools, messages })).text;
    };
  },
};

/**
 * @param {string} url
 * @param {Protocol} protocol
 * @returns {LanguageModel}
 */
function modelOf(url, protocol) {
  const apiKey = 'none';
  const model = MODELS[protocol];
  if (protocol === 'anthropic-messages') return createAnthropic({ baseURL: `${url}/v1`, apiKey })(model);
  if (protocol === 'google-generatecontent')
    return createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })(model);
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey });
  return protocol === 'openai-chat' ? openai.chat(model) : openai.responses(model);
}

/**
 * @param {Turn} turn
 * @returns {ModelMessage}
 */
function messageOf(turn) {
  if (turn.kind === 'user') return { role: 'user', content: turn.text };
  if (turn.kind === 'result') {
    const { id, name } = turn.call;
    const output = { type: /** @type {const} */ ('text'), value: turn.text };
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: name, output }] };
  }
  return {
    role: 'assistant',
    content: [
      { type: 'text', text: turn.text },
      ...turn.calls.map(({ id, name, input }) => ({
        type: /** @type {const} */ ('tool-call'),
        toolCallId: id,
        toolName: name,
        input,
      })),
    ],
  };
}
