/** Thinking blocks that come back must be what was issued, where it was issued. */
import { isObject } from '../../json.ts';
import type { Issued, JudgedRequest } from '../verdict.ts';
import { type Context, readContext } from './context.ts';
import { bindsPrefix, model } from './models.ts';
import { parsePrefix } from './prefix.ts';
import { first, type Rule } from './rule.ts';
import { BINDING_BETA } from './rules-thinking.ts';
import { isThinking, type Placed } from './turns.ts';

/** Whether a model of the same family issued it, as far as that is known. */
const sameFamily = (issued: Issued, context: Context): boolean =>
  issued.model === undefined || model(issued.model).family === context.model.family;

const proof = ({ type, block }: Placed): string => `${type === 'thinking' ? block.signature : block.data}`;
const thinkingOf = (blocks: readonly Placed[]) => blocks.filter(isThinking);

const enforcesPrefix = ({ model, request: { settings } }: Context): boolean =>
  settings?.enforcePrefix ?? bindsPrefix(model);

/** Without headers nobody can tell whether the beta was asked for; the setting alone counts then. */
const dropsMismatches = ({ thinking: { block_binding: binding }, betas, request: { headers } }: Context): boolean =>
  isObject(binding) &&
  binding.prefix_mismatch_behavior === 'drop_block' &&
  (headers === undefined || betas.includes(BINDING_BETA));

/** Why the signature does not verify, by what was issued. */
function forged(placed: Placed, issued: Issued | undefined, context: Context): boolean {
  if (!issued) return true;
  if (placed.type === 'thinking' && issued.text !== undefined && issued.text !== placed.block.thinking) return true;
  // Models that bind the prefix drop blocks of other models silently instead.
  return !enforcesPrefix(context) && !sameFamily(issued, context);
}

function difference(placed: Placed, context: Context): string | undefined {
  const issued = context.request.memory?.issued(proof(placed));
  if (issued?.prefix === undefined || !sameFamily(issued, context)) return undefined;
  const then = parsePrefix(issued.prefix);
  const now = context.prefix(placed.message, placed.index);
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
        const now = context.prefix(placed.message, placed.index);
        return prefix === undefined || parsePrefix(prefix).thinking === now.thinking
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
