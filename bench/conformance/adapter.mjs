// What a library must do to take part. An adapter is one file in `adapters`; it does what the library's own
// documentation shows for keeping a conversation, and nothing clever.
import { readdirSync, readFileSync } from 'node:fs';

/** @import { Protocol } from './replies/index.mjs' */

/**
 * @typedef {object} Turn
 * @property {Protocol} protocol
 * @property {string} baseUrl as the vendor's own SDK wants it: with `/v1` for OpenAI, without for the others
 * @property {string} model
 * @property {boolean} stream
 * @property {readonly Tool[]} tools to offer in both requests; none of them is to be run
 */

/** @typedef {{ name: string, description: string, parameters: Record<string, unknown> }} Tool */

/**
 * @typedef {object} Adapter
 * @property {string} name
 * @property {readonly string[]} packages whose versions are shown
 * @property {readonly Protocol[]} protocols
 * @property {readonly boolean[]} streams `[false, true]`; a library that always streams says `[true]`
 * @property {(turn: Turn, system: string, question: string) => Promise<string>} first
 *   asks, and gives the text that the library's documentation says to keep
 * @property {(turn: Turn, saved: string, next: { say?: string, results: readonly Result[] }) => Promise<unknown>} next
 *   in another process: goes on from that text with the results of the calls, or with what is said next
 */

/** @typedef {{ id: string, name: string, text: string }} Result */

const folder = new URL('adapters/', import.meta.url);

/** The names of all adapters: those of their files. */
export function adapterNames() {
  return readdirSync(folder).map((file) => file.replace(/\.mjs$/, ''));
}

/**
 * @param {string} name
 * @returns {Promise<Adapter>}
 */
export async function loadAdapter(name) {
  const { adapter } = await import(new URL(`${name}.mjs`, folder).href);
  return adapter;
}

/** @param {string} name of a package */
export function versionOf(name) {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
