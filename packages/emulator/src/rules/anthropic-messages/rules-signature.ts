/** Thinking blocks that come back: where they must stand, and that they are what was issued. */
import type { Issued, JudgedRequest } from '../verdict.ts';
import { type Context, readContext } from './context.ts';
import { bindsPrefix, model } from './models.ts';
import { prefixDigest, prefixParts } from './prefix.ts';
import { first, type Rule } from './rule.ts';
import { BINDING_BETA } from './rules-thinking.ts';
import { isObject } from './shape.ts';
import { isThinking, type Placed, type Turn } from './turns.ts';

const proof = ({ type, block }: Placed): string => `${type === 'thinking' ? block.signature : block.data}`;
const thinkingOf = (blocks: readonly Placed[]) => blocks.filter(isThinking);

const enforcesPrefix = ({ model, request: { settings } }: Context): boolean =>
  settings?.enforcePrefix ?? bindsPrefix(model);

const dropsMismatches = ({ thinking: { block_binding: binding }, betas }: Context): boolean =>
  isObject(binding) && binding.prefix_mismatch_behavior === 'drop_block' && betas.includes(BINDING_BETA);

/** The first assistant turn of the tool loop the request is in. */
function loopStart(dialogue: readonly Turn[]): Turn | undefined {
  let start: Turn | undefined;
  for (let index = dialogue.length - 1; index > 0; index -= 2) {
    const user = dialogue[index];
    if (user?.role !== 'user' || !user.blocks.some(({ type }) => type === 'tool_result')) break;
    start = dialogue[index - 1];
  }
  return start;
}

/** Why the signature does not verify, by what was issued. */
function forged(placed: Placed, issued: Issued | undefined, context: Context): boolean {
  if (!issued) return true;
  if (placed.type === 'thinking' && issued.text !== undefined && issued.text !== placed.block.thinking) return true;
  // Models that bind the prefix drop blocks of other models silently instead.
  return !enforcesPrefix(context) && model(issued.model).family !== context.model.family;
}

function difference(placed: Placed, context: Context): string | undefined {
  const issued = context.request.memory?.issued(proof(placed));
  if (issued?.prefix === undefined || model(issued.model).family !== context.model.family) return undefined;
  const then = prefixParts(issued.prefix);
  const now = prefixParts(prefixDigest(context.body, placed.message, placed.index));
  if (then.system !== now.system) return 'The `system` prompt differs from the one this block was created with.';
  if (then.tools !== now.tools) return 'The `tools` differ from the ones this block was created with.';
  return then.messages === now.messages
    ? undefined
    : 'The messages before it differ from the ones this block was created with.';
}

/**
 * Paths of the thinking blocks that fail the conversation check. With `drop_block` the API answers 200 and lists them in
 * `input_transformations`.
 */
export function thinkingMismatches(request: JudgedRequest): readonly string[] {
  const body: unknown = JSON.parse(request.body);
  if (!isObject(body)) return [];
  const context = readContext(request, body);
  if (!enforcesPrefix(context)) return [];
  return thinkingOf(context.blocks)
    .filter((placed) => difference(placed, context) !== undefined)
    .map(({ path }) => path);
}

export const signatureRules: readonly Rule[] = [
  {
    // Manual thinking only, and only in an unfinished tool loop.
    id: 'thinking-first',
    check: ({ thinking, dialogue }) => {
      const start = thinking.type === 'enabled' ? loopStart(dialogue)?.blocks[0] : undefined;
      return start === undefined || isThinking(start)
        ? undefined
        : `${start.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${start.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking`;
    },
  },
  {
    id: 'thinking-last',
    check: ({ dialogue }) =>
      first(dialogue, ({ role, blocks }) => {
        const end = blocks.at(-1);
        return role === 'assistant' && end && isThinking(end)
          ? `messages.${end.message}: The final block in an assistant message cannot be \`thinking\`.`
          : undefined;
      }),
  },
  {
    id: 'signature',
    check: (context) =>
      first(thinkingOf(context.blocks), (placed) => {
        const { block, type, path } = placed;
        if (type === 'thinking' && typeof block.signature !== 'string')
          return `${path}.thinking.signature: Field required`;
        const { memory } = context.request;
        const bad = proof(placed) === '' || (memory && forged(placed, memory.issued(proof(placed)), context));
        if (!bad) return undefined;
        return type === 'thinking'
          ? `${path}: Invalid \`signature\` in \`thinking\` block`
          : `${path}: Invalid \`data\` in \`redacted_thinking\` block`;
      }),
  },
  {
    id: 'thinking-modified',
    check: (context) => {
      const { memory } = context.request;
      if (!memory || dropsMismatches(context)) return undefined;
      const latest = context.dialogue.findLast(({ role }) => role === 'assistant');
      return first(thinkingOf(latest?.blocks ?? []), (placed) => {
        const prefix = memory.issued(proof(placed))?.prefix;
        const now = prefixDigest(context.body, placed.message, placed.index);
        return prefix === undefined || prefixParts(prefix).thinking === prefixParts(now).thinking
          ? undefined
          : `${placed.path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
      });
    },
  },
  {
    id: 'prefix-binding',
    check: (context) => {
      if (!enforcesPrefix(context) || dropsMismatches(context)) return undefined;
      return first(thinkingOf(context.blocks), (placed) => {
        const why = difference(placed, context);
        return (
          why &&
          `${placed.path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". That setting requires the \`${BINDING_BETA}\` value in the \`anthropic-beta\` header. ${why}`
        );
      });
    },
  },
];
