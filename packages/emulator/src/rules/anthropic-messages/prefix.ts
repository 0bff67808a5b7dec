/**
 * What a thinking block is bound to (wire-rules `prefix-binding`): system, tools and everything before the block.
 *
 * Blocks are hashed as a flat list of (role, block), so splitting or merging messages of one role changes nothing, and
 * the digest for a reply is the same before it exists (`messages.length`, 0) and after it was echoed. For a later block
 * of the same reply, append the reply to `messages` and ask for that block's own place.
 */
import { createHash } from 'node:crypto';
import { isObject, type Json } from './shape.ts';
import { contentBlocks } from './turns.ts';

export interface PrefixParts {
  readonly system: string;
  readonly tools: string;
  readonly messages: string;
  /** The thinking blocks before this one in its own turn: "all or none, in order" (`thinking-modified`). */
  readonly thinking: string;
}

const PARTS = ['system', 'tools', 'messages', 'thinking'] as const;
// Written by the user or the model: their keys are data, not markup.
const OPAQUE = new Set(['input', 'input_schema', 'schema', 'input_examples']);

/** `cache_control` is not compared, null is the same as absent, a string the same as one text block. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([name, item]) => name !== 'cache_control' && item !== null)
    .map(([name, item]) => [
      name,
      OPAQUE.has(name) ? item : name === 'content' ? normal(blocksOf(item)) : normal(item),
    ]);
  return Object.fromEntries(entries);
}

const blocksOf = (content: unknown): unknown => (typeof content === 'string' ? contentBlocks(content) : content);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}

const digest = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
    .slice(0, 32);

/** The digest of everything before `messages[messageIndex].content[blockIndex]`; compare as a whole, or by `prefixParts`. */
export function prefixDigest(body: Json, messageIndex: number, blockIndex: number): string {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  const before = messages.slice(0, messageIndex + 1).flatMap((message, index) => {
    const blocks = contentBlocks(message.content);
    const kept = index === messageIndex ? blocks.slice(0, blockIndex) : blocks;
    return kept.map((block) => [message.role, normal(block)] as const);
  });
  const turnStart = before.findLastIndex(([role]) => role !== 'assistant') + 1;
  const thinking = before.slice(turnStart).filter(([, block]) => isObject(block) && /thinking$/.test(`${block.type}`));
  const tools = Array.isArray(body.tools) ? body.tools : [];
  const parts: PrefixParts = {
    system: digest(normal(blocksOf(body.system ?? []))),
    tools: digest(normal(tools)),
    messages: digest(before),
    thinking: digest(thinking),
  };
  return PARTS.map((part) => parts[part]).join('.');
}

export function prefixParts(prefix: string): PrefixParts {
  const [system = '', tools = '', messages = '', thinking = ''] = prefix.split('.');
  return { system, tools, messages, thinking };
}
