// What each peer does, as its documentation shows.

/** @import { Turn } from '../data/history.mjs' */
/** @import { Protocol } from '../data/streams.mjs' */

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} package whose version is shown
 * @property {readonly Protocol[]} protocols
 * @property {(url: string, protocol: Protocol) => () => Promise<string>} stream reads the long stream and gives its text
 * @property {(url: string, protocol: Protocol, turns: readonly Turn[]) => () => Promise<string>} [turn]
 *   holds the history in its own form, sends it whole and gives the text of the short reply; none where a library always
 *   streams, which the server does not do with long histories
 */

/** @returns {Promise<readonly Peer[]>} */
export async function loadPeers() {
  return [
    (await import('./anthropic-sdk.mjs')).anthropicSdk,
    (await import('./openai-sdk.mjs')).openaiSdk,
    (await import('./google-sdk.mjs')).googleSdk,
    (await import('./vercel-ai.mjs')).vercelAi,
    (await import('./langchain.mjs')).langchain,
    (await import('./tanstack-ai.mjs')).tanstackAi,
    (await import('./pi-ai.mjs')).piAi,
  ];
}
