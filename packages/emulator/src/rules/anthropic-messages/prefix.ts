/**
 * What a thinking block is bound to (wire-rules `prefix-binding`): system, tools and everything before the block.
 *
 * Blocks are hashed as a flat chain of (role, block), so splitting or merging messages of one role changes nothing, and
 * the digest for a reply is the same before it exists (`messages.length`, 0) and after it was echoed. For a later block
 * of the same reply, append the reply to `messages` and ask for that block's own place.
 */

import { createHash } from 'node:crypto';
import { isObject, type Json } from '../../json.ts';

export interface Prefix {
  readonly system: string;
  readonly tools: string;
  readonly messages: string;
  /** The thinking blocks before this one in its own turn: "all or none, in order" (`thinking-modified`). */
  readonly thinking: string;
}

// The user or the model writes these values: a `cache_control` in them is data.
const OPAQUE = new Set(['input', 'input_schema', 'schema', 'input_examples']);

/** A string counts as one text block. */
export function contentBlocks(content: unknown): readonly Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

const toBlocks = (content: unknown): unknown => (typeof content === 'string' ? contentBlocks(content) : content);

/** `cache_control` is not compared, null is the same as absent, a string the same as one text block. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([name, item]) => name !== 'cache_control' && item !== null)
    .map(([name, item]) => {
      if (OPAQUE.has(name)) return [name, item];
      return [name, normal(name === 'content' ? toBlocks(item) : item)];
    });
  return Object.fromEntries(entries);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

const digest = (...values: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify(values.map(sorted)))
    .digest('hex')
    .slice(0, 32);

const key = (message: number, block: number): string => `${message}.${block}`;

/** Hashes the conversation once; returns the prefix of any block, and of the first block after the last message. */
export function prefixes(body: Json): (message: number, block: number) => Prefix {
  const system = digest(normal(toBlocks(body.system ?? [])));
  const tools = digest(normal(body.tools ?? []));
  const start = digest();
  const places = new Map<string, Prefix>();
  let now: Prefix = { system, tools, messages: start, thinking: start };
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  for (const [index, { role, content }] of messages.entries()) {
    places.set(key(index, 0), now);
    for (const [place, block] of contentBlocks(content).entries()) {
      const same = normal(block);
      const mine = role === 'assistant' ? now.thinking : start;
      const thought = role === 'assistant' && /thinking$/.test(`${block.type}`);
      now = { ...now, messages: digest(now.messages, role, same), thinking: thought ? digest(mine, same) : mine };
      places.set(key(index, place + 1), now);
    }
  }
  return (message, block) => places.get(key(message, block)) ?? now;
}

/** The digest of everything before `messages[message].content[block]`, to be kept as `IssuedValue.prefix`. */
export const prefixDigest = (body: Json, message: number, block: number): string =>
  formatPrefix(prefixes(body)(message, block));

const formatPrefix = ({ system, tools, messages, thinking }: Prefix): string =>
  [system, tools, messages, thinking].join('.');

export function parsePrefix(text: string): Prefix {
  const [system = '', tools = '', messages = '', thinking = ''] = text.split('.');
  return { system, tools, messages, thinking };
}
