import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, Output, streamText, tool } from 'ai';
import { SHAPE, SYSTEM, TOOL } from '../client.mjs';

/** @import { GatewayClient } from '../client.mjs' */

const apiKey = 'skein';
const tools = {
  [TOOL.name]: tool({ description: TOOL.description, inputSchema: jsonSchema(TOOL.parameters) }),
};

/**
 * @param {string} name
 * @param {string} protocol
 * @param {(url: string, model: string) => import('ai').LanguageModel} modelOf
 * @returns {GatewayClient}
 */
const provider = (name, protocol, modelOf) => ({
  package: name,
  protocol,
  open({ url, model, isStreamed }) {
    const messages = [];
    const common = {
      model: modelOf(url, model),
      system: SYSTEM,
      tools,
      maxRetries: 0,
      onError: () => undefined,
    };
    const send = async () => {
      const result = isStreamed ? streamText({ ...common, messages }) : await generateText({ ...common, messages });
      if (isStreamed) for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
      const [text, calls, response] = await Promise.all([result.text, result.toolCalls, result.response]);
      messages.push(...response.messages);
      return { text, calls: calls.map(({ toolCallId, toolName }) => ({ id: toolCallId, name: toolName })) };
    };
    return {
      say(text, image) {
        const picture = image && { type: 'file', mediaType: 'image/png', data: Buffer.from(image, 'base64') };
        messages.push({ role: 'user', content: [{ type: 'text', text }, ...(picture ? [picture] : [])] });
        return send();
      },
      answer(calls, value) {
        const content = calls.map(({ id, name }) => ({
          ...{ type: 'tool-result', toolCallId: id, toolName: name },
          output: { type: 'text', value },
        }));
        messages.push({ role: 'tool', content });
        return send();
      },
      async leave(text) {
        const leaving = new AbortController();
        const asked = [...messages, { role: 'user', content: text }];
        const { textStream } = streamText({ ...common, messages: asked, abortSignal: leaving.signal });
        for await (const _ of textStream) break;
        leaving.abort();
      },
      async shape(prompt) {
        const { tools: _, system: __, ...rest } = common;
        const request = { ...rest, prompt, output: Output.object({ schema: jsonSchema(SHAPE) }) };
        const result = isStreamed ? streamText(request) : await generateText(request);
        if (isStreamed) for await (const part of result.fullStream) if (part.type === 'error') throw part.error;
        return result.output;
      },
    };
  },
});

export const clients = [
  provider('@ai-sdk/openai', 'openai-chat', (url, model) =>
    createOpenAI({ baseURL: `${url}/openai/v1`, apiKey }).chat(model),
  ),
  provider('@ai-sdk/openai', 'openai-responses', (url, model) =>
    createOpenAI({ baseURL: `${url}/openai/v1`, apiKey }).responses(model),
  ),
  provider('@ai-sdk/anthropic', 'anthropic-messages', (url, model) =>
    createAnthropic({ baseURL: `${url}/anthropic/v1`, apiKey })(model),
  ),
  provider('@ai-sdk/google', 'google-generatecontent', (url, model) =>
    createGoogleGenerativeAI({ baseURL: `${url}/google/v1beta`, apiKey })(encodeURIComponent(model)),
  ),
];
