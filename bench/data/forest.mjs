// Histories as a forest stores them.
import { assistant, user } from '@skein/core';
import { random } from './words.mjs';

/** @typedef {typeof import('@skein/forest') & typeof import('@skein/forest/store')} Forest */
/** @typedef {import('@skein/forest/store').NodeRecord} NodeRecord */
/** @typedef {import('@skein/forest/store').StoreRecord} StoreRecord */

const AT = Date.UTC(2026, 0, 1);

/**
 * A message after `parent` with its text and its take, as one append writes them.
 * @param {Forest} forest
 * @param {string} text
 * @param {NodeRecord} [parent]
 * @returns {{ node: NodeRecord, raw: string, records: StoreRecord[] }}
 */
export function turn(forest, text, parent) {
  const { ECHO_START, extendEcho, nodeId, ROOT, sha256, createTake } = forest;
  const depth = (parent?.depth ?? 0) + 1;
  const message = depth % 2 === 1 ? user(text) : assistant(text);
  const body = sha256(message.raw);
  /** @type {NodeRecord} */
  const node = {
    k: 'node',
    id: nodeId(parent?.id ?? ROOT, 'blocks', body),
    parent: parent?.id ?? ROOT,
    depth,
    dialect: 'blocks',
    body,
    echo: extendEcho({ ...ECHO_START, text: parent?.echo ?? ECHO_START.text }, message).text,
    lead: ROOT,
    facts: { role: message.role, calls: [], results: [], needs: [] },
    at: AT + depth,
  };
  const take = createTake({ node: node.id, at: AT, author: 'person', via: 'append', origin: message.origin });
  return { node, raw: message.raw, records: [{ k: 'body', digest: body, text: message.raw }, node, take] };
}

/**
 * @param {Forest} forest
 * @param {number} length
 * @param {() => string} nextText
 * @param {NodeRecord} [parent]
 */
export function history(forest, length, nextText, parent) {
  const turns = [];
  for (let above = parent; turns.length < length; above = turns.at(-1)?.node)
    turns.push(turn(forest, nextText(), above));
  return turns;
}

/**
 * Texts of about 600 characters, each different.
 * @param {number} seed
 */
export function texts(seed) {
  const next = random(seed);
  let count = 0;
  return () => {
    count += 1;
    return `${seed} ${count} ${Array.from({ length: 60 }, () => `word${Math.floor(next() * 5000)}`).join(' ')}`;
  };
}
