// What each peer does, as its documentation shows.

/** @import { Turn } from '../data/history.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

/**
 * @typedef {object} Peer
 * @property {(url: string, protocol: Protocol) => () => Promise<string>} stream reads the long stream event by event, as a
 *   program that shows it does, and gives its text
 * @property {(url: string, protocol: Protocol, turns: readonly Turn[]) => (more: readonly Turn[]) => Promise<string>} [turn]
 *   holds the history in its own form; adds some turns, sends it whole and gives the text of the short reply; none where a
 *   library always streams, which the server does not do with long histories
 */

/**
 * The module of each peer, whose name and version are shown, the protocols it is measured with, and what a program imports to
 * ask one provider.
 */
export const PEERS = {
  'OpenAI SDK': {
    module: 'openai-sdk.mjs',
    package: 'openai',
    protocols: ['openai-chat', 'openai-responses'],
    imports: ['openai'],
    turns: true,
  },
  'Anthropic SDK': {
    module: 'anthropic-sdk.mjs',
    package: '@anthropic-ai/sdk',
    protocols: ['anthropic-messages'],
    imports: ['@anthropic-ai/sdk'],
    turns: true,
  },
  'Google Gen AI SDK': {
    module: 'google-sdk.mjs',
    package: '@google/genai',
    protocols: ['google-generatecontent'],
    imports: ['@google/genai'],
    turns: true,
  },
  'Vercel AI SDK': {
    module: 'vercel-ai.mjs',
    package: 'ai',
    protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'],
    imports: ['ai', '@ai-sdk/openai'],
    turns: true,
  },
  'LangChain.js': {
    module: 'langchain.mjs',
    package: '@langchain/core',
    protocols: ['anthropic-messages', 'openai-chat', 'openai-responses'],
    imports: ['@langchain/openai'],
    turns: true,
  },
  'TanStack AI': {
    module: 'tanstack-ai.mjs',
    package: '@tanstack/ai',
    // Not with Google: 20 of the 380,590 characters of the stream do not come out.
    protocols: ['anthropic-messages', 'openai-chat', 'openai-responses'],
    imports: ['@tanstack/ai', '@tanstack/ai-openai'],
    turns: false,
  },
  'pi-ai': {
    module: 'pi-ai.mjs',
    package: '@mariozechner/pi-ai',
    protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'google-generatecontent'],
    imports: ['@mariozechner/pi-ai'],
    turns: false,
  },
};
