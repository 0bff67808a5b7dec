import { complete } from '@mariozechner/pi-ai';

/** @import { Adapter, Turn } from '../adapter.mjs' */

const APIS = {
  'anthropic-messages': ['anthropic-messages', 'anthropic'],
  'openai-chat': ['openai-completions', 'openai'],
  'openai-responses': ['openai-responses', 'openai'],
  'google-generatecontent': ['google-generative-ai', 'google'],
};

/**
 * The README keeps the `Context` as JSON, with each reply pushed to its messages. It always streams.
 * @type {Adapter}
 */
export const adapter = {
  name: 'pi-ai',
  packages: ['@mariozechner/pi-ai'],
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'],
  streams: [true],
  async first(turn, systemPrompt, question) {
    const messages = [{ role: 'user', content: question, timestamp: Date.now() }];
    return JSON.stringify(await answered(turn, { systemPrompt, messages, tools: turn.tools }));
  },
  async next(turn, saved, { say, results }) {
    const context = JSON.parse(saved);
    const timestamp = Date.now();
    for (const { id, name, text } of results)
      context.messages.push({
        role: 'toolResult',
        toolCallId: id,
        toolName: name,
        content: [{ type: 'text', text }],
        isError: false,
        timestamp,
      });
    if (say !== undefined) context.messages.push({ role: 'user', content: say, timestamp });
    await answered(turn, context);
  },
};

/**
 * @param {Turn} turn
 * @param {any} context
 */
async function answered({ protocol, baseUrl, model }, context) {
  const [api, provider] = APIS[/** @type {keyof typeof APIS} */ (protocol)];
  const described = {
    id: model,
    name: model,
    api,
    provider,
    baseUrl: protocol === 'google-generatecontent' ? `${baseUrl}/v1beta` : baseUrl,
    reasoning: true,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 32_000,
  };
  const reply = await complete(/** @type {any} */ (described), context, { apiKey: 'none' });
  if (reply.stopReason === 'error') throw new Error(reply.errorMessage);
  return { ...context, messages: [...context.messages, reply] };
}
