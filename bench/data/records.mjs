// Records of a forest as a program would write them: a body, a node and a take for every message of 400 to 1,800
// characters.
import { hash } from 'node:crypto';
import { prose, random } from './words.mjs';

export const ROOT = '0'.repeat(40);

/**
 * @typedef {{ id: string, parent: string, text: string, records: Record<string, unknown>[] }} Made
 */

const next = random(77);
const texts = Array.from({ length: 500 }, () => prose(next, 400 + next() * 1400));
let count = 0;

/** @param {string} text */
export function sha256(text) {
  return hash('sha256', text, 'hex');
}

/**
 * @param {string} parent
 * @param {string} digest
 */
export function nodeId(parent, digest) {
  return sha256(`skein-node/1\n${parent}\nblocks\n${digest}`).slice(0, 40);
}

/**
 * A new message after `parent`.
 * @param {string} parent
 * @param {number} depth
 * @returns {Made}
 */
export function makeMessage(parent, depth) {
  count += 1;
  const text = JSON.stringify({
    role: 'user',
    content: [{ type: 'text', text: `${count} ${texts[count % texts.length]}` }],
  });
  const digest = sha256(text);
  const id = nodeId(parent, digest);
  const echo = `1:${sha256(`echo ${id}`).slice(0, 32)}`;
  const facts = { role: 'user', calls: [], results: [], needs: [] };
  const origin = { dialect: 'blocks', issuer: 'local' };
  const at = 1_790_000_000_000 + count;
  return {
    id,
    parent,
    text,
    records: [
      { k: 'body', digest, text },
      { k: 'node', id, parent, depth, dialect: 'blocks', body: digest, echo, lead: ROOT, facts, at },
      { k: 'take', id: sha256(`take ${id}`).slice(0, 32), node: id, at, author: 'person', via: 'append', origin },
    ],
  };
}

/**
 * A history.
 * @param {number} length
 */
export function makeHistory(length, parent = ROOT, depth = 0) {
  /** @type {Made[]} */
  const made = [];
  for (let index = 0; index < length; index++) made.push(makeMessage(made.at(-1)?.id ?? parent, depth + index + 1));
  return made;
}

/**
 * Conversations of 20 messages.
 * @param {number} total
 */
export function makeForest(total) {
  return Array.from({ length: Math.ceil(total / 20) }, () => makeHistory(20)).flat();
}
