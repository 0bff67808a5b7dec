import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { SHAPE, SYSTEM, TOOL } from '../client.mjs';

/** @import { GatewayClient } from '../client.mjs' */

const tools = [{ type: 'function', function: TOOL }];
const apiKey = 'skein';

/**
 * @param {string} name
 * @param {string} protocol
 * @param {(url: string, model: string) => import('@langchain/core/language_models/chat_models').BaseChatModel} modelOf
 * @param {boolean} [takesImages]
 * @returns {GatewayClient}
 */
const provider = (name, protocol, modelOf, takesImages = true) => ({
  package: name,
  protocol,
  takesImages,
  open({ url, model, isStreamed }) {
    const chat = modelOf(url, model);
    const bound = chat.bindTools(tools);
    const messages = [new SystemMessage(SYSTEM)];
    const send = async () => {
      let reply;
      if (isStreamed)
        for await (const chunk of await bound.stream(messages))
          reply = reply === undefined ? chunk : reply.concat(chunk);
      else reply = await bound.invoke(messages);
      messages.push(reply);
      return { text: reply.text, calls: reply.tool_calls ?? [] };
    };
    return {
      say(text, image) {
        const picture = image && { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } };
        messages.push(new HumanMessage({ content: picture ? [{ type: 'text', text }, picture] : text }));
        return send();
      },
      answer(calls, content) {
        messages.push(...calls.map(({ id, name: tool }) => new ToolMessage({ content, tool_call_id: id, name: tool })));
        return send();
      },
      async leave(text) {
        for await (const chunk of await bound.stream([...messages, new HumanMessage(text)])) if (chunk.text) break;
      },
      // Not as a stream: LangChain's parser of streamed JSON takes no content of several blocks.
      shape: (text) => chat.withStructuredOutput(SHAPE, { name: 'weather', method: 'jsonSchema' }).invoke(text),
    };
  },
});

export const clients = [
  provider('@langchain/openai', 'openai-chat', (url, model) => openai(url, model, false)),
  provider('@langchain/openai', 'openai-responses', (url, model) => openai(url, model, true)),
  provider(
    '@langchain/anthropic',
    'anthropic-messages',
    (url, model) =>
      new ChatAnthropic({ model, apiKey, maxRetries: 0, maxTokens: 4000, anthropicApiUrl: `${url}/anthropic` }),
  ),
  provider(
    '@langchain/google-genai',
    'google-generatecontent',
    (url, model) =>
      new ChatGoogleGenerativeAI({ model: encodeURIComponent(model), apiKey, maxRetries: 0, baseUrl: `${url}/google` }),
    // It looks for the names of models that it knows.
    false,
  ),
];

/**
 * @param {string} url
 * @param {string} model
 * @param {boolean} useResponsesApi
 */
const openai = (url, model, useResponsesApi) =>
  new ChatOpenAI({ model, apiKey, maxRetries: 0, useResponsesApi, configuration: { baseURL: `${url}/openai/v1` } });
