import { type Finding, finding, unsure } from '../openai/finding.ts';
import { isSet, text } from '../openai/values.ts';
import type { ResponsesRule } from './context.ts';

const notFound = (id: string): Finding => ({
  message: `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
  param: 'input',
  code: null,
  status: 404,
});

/** A reasoning item without its ciphertext is only a reference to a stored one. */
export const reasoningNotPersisted: ResponsesRule = {
  id: 'reasoning-not-persisted',
  *check({ items, body, memory }) {
    for (const { type, id, fields } of items) {
      if (type !== 'reasoning' || id === undefined || isSet(fields.encrypted_content)) continue;
      if (body.store === false || memory?.stored(id) === false) yield notFound(id);
    }
  },
};

export const referenceNotFound: ResponsesRule = {
  id: 'reference-not-found',
  *check({ items, memory }) {
    for (const { type, id } of items) {
      if (type === 'item_reference' && id !== undefined && memory?.stored(id) === false) yield notFound(id);
    }
  },
};

export const encryptedContent: ResponsesRule = {
  id: 'encrypted-content',
  *check({ items, memory }) {
    if (memory === undefined) return;
    for (const { id, fields } of items) {
      const secret = text(fields.encrypted_content);
      if (secret === undefined || memory.issued(secret) !== undefined) continue;
      const words = `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
      yield finding(words, null, 'invalid_encrypted_content');
    }
  },
};

/** The item behind a reasoning item is known by its id: without one, or with another's, the pair is broken. */
export const reasoningFollowing: ResponsesRule = {
  id: 'reasoning-following',
  *check({ items, memory }) {
    for (const [index, { type, id }] of items.entries()) {
      // An item without an id cannot be looked up, nor missed.
      if (type !== 'reasoning' || id === undefined) continue;
      const next = items[index + 1]?.id;
      const original = memory?.following?.(id);
      if (next !== undefined && (original === undefined || original === next)) continue;
      const words = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
      yield finding(words, 'input');
    }
  },
};

/** Under `store: false` it is not known whether the API can notice. */
export const missingReasoning: ResponsesRule = {
  id: 'missing-reasoning',
  *check({ items, body, chain, memory }) {
    if (chain !== undefined) return;
    const present = new Set(items.map(({ id }) => id));
    for (const { type, id } of items) {
      const reasoning = id === undefined ? undefined : memory?.reasoningOf?.(id);
      if (type === 'item_reference' || reasoning === undefined || present.has(reasoning)) continue;
      const words = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${reasoning}'.`;
      const found = finding(words, 'input');
      yield body.store === false ? unsure(found) : found;
    }
  },
};
