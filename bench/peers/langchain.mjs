import { ChatAnthropic } from '@langchain/anthropic';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { SYSTEM, TOOLS } from '../data/history.mjs';
import { MODELS } from '../endpoint.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Turn } from '../data/history.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

/** @type {Peer} */
export const peer = {
  stream(url, protocol) {
    const model = modelOf(url, protocol, true);
    return async () => {
      let text = '';
      for await (const chunk of await model.stream('Hello')) text += chunk.text;
      return text;
    };
  },
  turn(url, protocol, turns) {
    const tools = TOOLS.map((definition) => ({ type: 'function', function: definition }));
    const model = modelOf(url, protocol, false).bindTools(tools);
    const messages = [new SystemMessage(SYSTEM), ...turns.map(messageOf)];
    return async (more) => {
      messages.push(...more.map(messageOf));
      return (await model.invoke(messages)).text;
    };
  },
};

/**
 * @param {string} url
 * @param {Protocol} protocol
 * @param {boolean} streaming
 */
function modelOf(url, protocol, streaming) {
  const model = MODELS[protocol];
  const common = { model, apiKey: 'none', streaming, maxRetries: 0 };
  if (protocol === 'anthropic-messages') return new ChatAnthropic({ ...common, anthropicApiUrl: url, maxTokens: 1024 });
  const useResponsesApi = protocol === 'openai-responses';
  return new ChatOpenAI({ ...common, useResponsesApi, configuration: { baseURL: `${url}/v1` } });
}

/** @param {Turn} turn */
function messageOf(turn) {
  if (turn.kind === 'user') return new HumanMessage(turn.text);
  if (turn.kind === 'result') return new ToolMessage({ content: turn.text, tool_call_id: turn.call.id });
  const calls = turn.calls.map(({ id, name, input }) => ({
    id,
    name,
    args: input,
    type: /** @type {const} */ ('tool_call'),
  }));
  return new AIMessage({ content: turn.text, tool_calls: calls });
}
