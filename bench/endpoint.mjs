// Starts the server, and knows the URL of each protocol.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { dialect } from '@skein/core';

/** @import { Protocol } from './data/streams.mjs' */

/** @type {Record<Protocol, string>} */
const PATHS = {
  'anthropic-messages': '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'google-generatecontent': '/v1beta/models/gemini-2.5-pro',
};

/** @type {Record<Protocol, string>} */
export const MODELS = {
  'anthropic-messages': 'claude-sonnet-5',
  'openai-chat': 'gpt-5',
  'openai-responses': 'gpt-5',
  'google-generatecontent': 'gemini-2.5-pro',
};

/** What follows the address of the server in a provider's base URL. @type {Record<Protocol, string>} */
const BASES = {
  'anthropic-messages': '',
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'google-generatecontent': '',
};

/** The model as `run` takes it, at the server's address. @param {string} url @param {Protocol} protocol */
export function modelAt(url, protocol) {
  const { home } = dialect(protocol);
  return { provider: home, model: MODELS[protocol], apiKey: 'none', baseUrl: `${url}${BASES[protocol]}` };
}

export async function startServer() {
  const child = fork(fileURLToPath(new URL('server.mjs', import.meta.url)));
  const [{ port }] = await once(child, 'message');
  return { url: `http://127.0.0.1:${port}`, stop: () => child.disconnect() };
}

/**
 * Sends a body that is ready; the answer's headers are here, its body is not yet.
 * @param {string} url of the server
 * @param {Protocol} protocol
 * @param {string | Uint8Array} body
 * @param {boolean} stream
 */
export function post(url, protocol, body, stream) {
  const action =
    protocol !== 'google-generatecontent' ? '' : stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}${PATHS[protocol]}${action}`, { method: 'POST', headers, body });
}
