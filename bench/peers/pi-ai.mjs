import { complete } from '@mariozechner/pi-ai';
import { MODELS } from '../endpoint.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

/** @type {Record<Protocol, readonly [api: string, provider: string, path: string]>} */
const APIS = {
  'anthropic-messages': ['anthropic-messages', 'anthropic', ''],
  'openai-chat': ['openai-completions', 'openai', '/v1'],
  'openai-responses': ['openai-responses', 'openai', '/v1'],
  'google-generatecontent': ['google-generative-ai', 'google', '/v1beta'],
};

/** @type {Peer} */
export const peer = {
  stream(url, protocol) {
    const [api, provider, path] = APIS[protocol];
    const id = MODELS[protocol];
    const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
    const limits = { contextWindow: 128_000, maxTokens: 32_000 };
    const model = {
      id,
      name: id,
      api,
      provider,
      baseUrl: `${url}${path}`,
      reasoning: false,
      input: ['text'],
      cost,
      ...limits,
    };
    const context = { messages: [{ role: /** @type {const} */ ('user'), content: 'Hello', timestamp: 0 }] };
    return async () => {
      const reply = await complete(/** @type {any} */ (model), context, { apiKey: 'none' });
      if (reply.stopReason === 'error') throw new Error(reply.errorMessage);
      return reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    };
  },
};
