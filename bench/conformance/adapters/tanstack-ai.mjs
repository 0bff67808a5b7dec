import { chat, toolDefinition } from '@tanstack/ai';
import { StreamProcessor } from '@tanstack/ai/client';
import { createAnthropicChat } from '@tanstack/ai-anthropic';
import { createGeminiChat } from '@tanstack/ai-gemini';
import { createOpenaiChat, createOpenaiChatCompletions } from '@tanstack/ai-openai';

/** @import { Adapter, Turn } from '../adapter.mjs' */

/**
 * The documentation keeps the `UIMessage`s that its client makes of the stream, as JSON, and sends them to `chat` again. It
 * always streams.
 * @type {Adapter}
 */
export const adapter = {
  name: 'TanStack AI',
  packages: ['@tanstack/ai', '@tanstack/ai-anthropic', '@tanstack/ai-openai', '@tanstack/ai-gemini'],
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'],
  streams: [true],
  async first(turn, system, question) {
    const processor = new StreamProcessor();
    processor.addUserMessage(question);
    await answered(turn, system, processor);
    return JSON.stringify({ system, messages: processor.getMessages() });
  },
  async next(turn, saved, { say, results }) {
    const { system, messages } = JSON.parse(saved);
    const processor = new StreamProcessor({ initialMessages: messages });
    for (const { id, text } of results) processor.addToolResult(id, text);
    if (say !== undefined) processor.addUserMessage(say);
    await answered(turn, system, processor);
  },
};

/**
 * @param {Turn} turn
 * @param {string} system
 * @param {StreamProcessor} processor
 */
async function answered(turn, system, processor) {
  const tools = turn.tools.map(({ name, description, parameters }) =>
    toolDefinition({ name, description, inputSchema: /** @type {any} */ (parameters) }),
  );
  const stateless = { store: false, include: ['reasoning.encrypted_content'] };
  const stream = chat({
    adapter: /** @type {any} */ (modelOf(turn)),
    messages: /** @type {any} */ (processor.getMessages()),
    systemPrompts: [system],
    tools,
    ...(turn.protocol === 'openai-responses' && { modelOptions: /** @type {any} */ (stateless) }),
  });
  for await (const chunk of stream) {
    if (chunk.type === 'RUN_ERROR') throw new Error(/** @type {any} */ (chunk).message ?? JSON.stringify(chunk));
    processor.processChunk(chunk);
  }
  processor.finalizeStream();
}

/** @param {Turn} turn */
function modelOf({ protocol, baseUrl, model }) {
  const name = /** @type {any} */ (model);
  if (protocol === 'anthropic-messages') return createAnthropicChat(name, 'none', { baseURL: baseUrl });
  if (protocol === 'google-generatecontent') return createGeminiChat(name, 'none', { httpOptions: { baseUrl } });
  const config = { baseURL: baseUrl };
  return protocol === 'openai-chat'
    ? createOpenaiChatCompletions(name, 'none', config)
    : createOpenaiChat(name, 'none', config);
}
