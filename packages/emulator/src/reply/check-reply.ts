import { isObject } from '../json.ts';
import type { Reply, ReplyBlock } from './reply.ts';

const blockTypes: Readonly<Record<ReplyBlock['type'], true>> = {
  text: true,
  thinking: true,
  'redacted-thinking': true,
  'tool-use': true,
  refusal: true,
  image: true,
  native: true,
};

/** A script is checked where it is given: once it is asked for, a mistake in it would look like one of the server. */
export function checkReply(reply: Reply, at: string): void {
  const given: unknown = reply;
  if (!isObject(given)) throw new TypeError(`${at} must be an object with "blocks", "error" or "raw"`);
  if ('raw' in given || 'error' in given) return;
  checkBlocks(given.blocks, `${at}.blocks`);
  const { alternatives = [] } = given;
  if (!Array.isArray(alternatives)) throw new TypeError(`${at}.alternatives must be a list of lists of blocks`);
  for (const [index, blocks] of alternatives.entries()) checkBlocks(blocks, `${at}.alternatives[${index}]`);
}

function checkBlocks(blocks: unknown, at: string): void {
  if (!Array.isArray(blocks)) throw new TypeError(`${at} must be a list of blocks`);
  for (const [index, block] of blocks.entries()) {
    if (isObject(block) && typeof block.type === 'string' && block.type in blockTypes) continue;
    throw new TypeError(`${at}[${index}].type must be one of ${Object.keys(blockTypes).join(', ')}`);
  }
}
