import { ChatAnthropic } from '@langchain/anthropic';
import {
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';

/** @import { Adapter, Turn } from '../adapter.mjs' */
/** @import { BaseMessage } from '@langchain/core/messages' */

/**
 * The documentation keeps a list of messages with the model's message pushed to it, and stores it with
 * `mapChatMessagesToStoredMessages`, as its own chat histories do.
 * @type {Adapter}
 */
export const adapter = {
  name: 'LangChain.js',
  packages: ['@langchain/core', '@langchain/anthropic', '@langchain/openai', '@langchain/google-genai'],
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'],
  streams: [false, true],
  async first(turn, system, question) {
    const messages = await answered(turn, [new SystemMessage(system), new HumanMessage(question)]);
    return JSON.stringify(mapChatMessagesToStoredMessages(messages));
  },
  async next(turn, saved, { say, results }) {
    const messages = mapStoredMessagesToChatMessages(JSON.parse(saved));
    for (const { id, name, text } of results) messages.push(new ToolMessage({ content: text, tool_call_id: id, name }));
    if (say !== undefined) messages.push(new HumanMessage(say));
    await answered(turn, messages);
  },
};

/**
 * @param {Turn} turn
 * @param {BaseMessage[]} messages
 */
async function answered(turn, messages) {
  const model = modelOf(turn).bindTools(turn.tools.map((definition) => ({ type: 'function', function: definition })));
  if (!turn.stream) return [...messages, await model.invoke(messages)];
  let whole;
  for await (const chunk of await model.stream(messages)) whole = whole ? whole.concat(chunk) : chunk;
  return whole ? [...messages, whole] : messages;
}

/**
 * @param {Turn} turn
 * @returns {ChatAnthropic | ChatGoogleGenerativeAI | ChatOpenAI}
 */
function modelOf({ protocol, baseUrl, model, stream }) {
  const common = { model, apiKey: 'none', streaming: stream, maxRetries: 0 };
  if (protocol === 'anthropic-messages')
    return new ChatAnthropic({ ...common, anthropicApiUrl: baseUrl, maxTokens: 1024 });
  if (protocol === 'google-generatecontent') return new ChatGoogleGenerativeAI({ ...common, baseUrl });
  const configuration = { baseURL: baseUrl };
  if (protocol === 'openai-chat') return new ChatOpenAI({ ...common, configuration });
  const zdrEnabled = true;
  return new ChatOpenAI({ ...common, configuration, useResponsesApi: true, zdrEnabled });
}
