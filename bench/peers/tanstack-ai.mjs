import { chat, streamToText } from '@tanstack/ai';
import { createAnthropicChat } from '@tanstack/ai-anthropic';
import { createOpenaiChat, createOpenaiChatCompletions } from '@tanstack/ai-openai';
import { MODELS } from '../endpoint.mjs';

/** @import { Peer } from './peer.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

/** @type {Peer} */
export const peer = {
  stream(url, protocol) {
    const adapter = /** @type {any} */ (adapterOf(url, protocol));
    return () => streamToText(chat({ adapter, messages: [{ role: 'user', content: 'Hello' }] }));
  },
};

/**
 * @param {string} url
 * @param {Protocol} protocol
 */
function adapterOf(url, protocol) {
  const model = /** @type {any} */ (MODELS[protocol]);
  if (protocol === 'anthropic-messages') return createAnthropicChat(model, 'none', { baseURL: url });
  const make = protocol === 'openai-chat' ? createOpenaiChatCompletions : createOpenaiChat;
  return make(model, 'none', { baseURL: `${url}/v1` });
}
