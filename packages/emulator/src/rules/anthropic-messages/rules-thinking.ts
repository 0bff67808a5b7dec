/** Rules about thinking: the setting and effort, where thinking blocks may be, and that they come back unchanged. */
import { isObject } from '../../json.ts';
import { first, type IssuedValue, type JudgedRequest } from '../verdict.ts';
import { type AnthropicRule, type Context, isThinking, type PlacedBlock, readContext, type Turn } from './context.ts';
import {
  bindsPrefix,
  effortLevels,
  parseModel,
  takesAdaptiveThinking,
  takesDisabledThinking,
  takesEnabledThinking,
  takesForcedTool,
} from './models.ts';
import { parsePrefix } from './prefix.ts';

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

const forced = ({ body: { tool_choice: choice } }: Context): boolean =>
  isObject(choice) && (choice.type === 'any' || choice.type === 'tool');

/** With interleaved thinking the budget spans several replies, so it may exceed max_tokens. */
const interleaved = ({ betas }: Context): boolean => betas.some((beta) => beta.startsWith('interleaved-thinking'));

const unsupported = (type: string, instead: string) =>
  `"thinking.type.${type}" is not supported for this model. ${instead}`;

export const thinkingRules: readonly AnthropicRule[] = [
  {
    id: 'budget-min',
    check: ({ thinking: { type, budget_tokens: budget } }) =>
      type === 'enabled' && Number(budget) < 1024
        ? 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'
        : undefined,
  },
  {
    id: 'thinking-enabled-unsupported',
    check: ({ thinking, model }) =>
      thinking.type === 'enabled' && !takesEnabledThinking(model)
        ? unsupported(
            'enabled',
            'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
          )
        : undefined,
  },
  {
    id: 'adaptive-unsupported',
    check: ({ thinking, model }) =>
      thinking.type === 'adaptive' && !takesAdaptiveThinking(model)
        ? 'adaptive thinking is not supported on this model'
        : undefined,
  },
  {
    id: 'thinking-disabled-unsupported',
    check: ({ thinking, model }) =>
      thinking.type === 'disabled' && !takesDisabledThinking(model)
        ? unsupported(
            'disabled',
            'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
          )
        : undefined,
  },
  {
    id: 'block-binding-beta',
    check: ({ thinking, betas, request: { headers } }) =>
      headers && isObject(thinking.block_binding) && !betas.includes(BINDING_BETA)
        ? `thinking.${thinking.type}.block_binding: Extra inputs are not permitted. This setting requires the \`${BINDING_BETA}\` value in the \`anthropic-beta\` header.`
        : undefined,
  },
  {
    id: 'budget-max',
    check: (context) => {
      const { thinking, body } = context;
      return thinking.type === 'enabled' &&
        Number(thinking.budget_tokens) >= Number(body.max_tokens) &&
        !interleaved(context)
        ? '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size'
        : undefined;
    },
  },
  {
    id: 'thinking-temperature',
    check: ({ thinking: { type }, body: { temperature } }) =>
      (type === 'enabled' || type === 'adaptive') && typeof temperature === 'number' && temperature !== 1
        ? '`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking'
        : undefined,
  },
  {
    id: 'thinking-top-p',
    check: ({ thinking: { type }, body: { top_p: topP } }) =>
      (type === 'enabled' || type === 'adaptive') && typeof topP === 'number' && topP < 0.95
        ? '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking'
        : undefined,
  },
  {
    id: 'thinking-forced-tool',
    check: (context) =>
      context.thinking.type === 'enabled' && forced(context)
        ? 'Thinking may not be enabled when tool_choice forces tool use.'
        : undefined,
  },
  {
    id: 'forced-tool-unsupported',
    check: (context) =>
      forced(context) && !takesForcedTool(context.model)
        ? 'tool_choice: forcing tool use is not supported for this model. Use "tool_choice.type.auto".'
        : undefined,
  },
  {
    id: 'effort',
    check: ({ body: { output_config: config }, model }) => {
      const effort = isObject(config) ? config.effort : undefined;
      if (effort === undefined || effort === null) return undefined;
      const levels = effortLevels(model);
      if (levels.length === 0) return 'This model does not support the effort parameter.';
      return levels.includes(`${effort}`)
        ? undefined
        : `This model does not support effort level '${effort}'. Supported levels: ${levels.join(', ')}.`;
    },
  },
];

/** The first assistant turn of the current tool loop; an answer that the request continues belongs to the loop. */
function loopStart(dialogue: readonly Turn[]): Turn | undefined {
  const last = dialogue.at(-1);
  let start = last?.role === 'assistant' ? last : undefined;
  for (let index = dialogue.length - (start ? 2 : 1); index > 0; index -= 2) {
    const user = dialogue[index];
    if (user?.role !== 'user' || !user.blocks.some(({ type }) => type === 'tool_result')) break;
    start = dialogue[index - 1];
  }
  return start;
}

export const thinkingPlaceRules: readonly AnthropicRule[] = [
  {
    // Manual thinking only, and only in an unfinished tool loop or an unfinished answer.
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
];

/** Whether a model of the same family issued it; true when the model is unknown. */
const sameFamily = (issued: IssuedValue, context: Context): boolean =>
  issued.model === undefined || parseModel(issued.model).family === context.model.family;

const proof = ({ type, block }: PlacedBlock): string => `${type === 'thinking' ? block.signature : block.data}`;
const thinkingBlocks = (blocks: readonly PlacedBlock[]) => blocks.filter(isThinking);

const enforcesPrefix = ({ model, request: { settings } }: Context): boolean =>
  settings?.enforcePrefix ?? bindsPrefix(model);

/** Without headers, whether the beta was requested is unknown; then the setting alone decides. */
const dropsMismatches = ({ thinking: { block_binding: binding }, betas, request: { headers } }: Context): boolean =>
  isObject(binding) &&
  binding.prefix_mismatch_behavior === 'drop_block' &&
  (headers === undefined || betas.includes(BINDING_BETA));

/** Whether the signature does not belong to this block. */
function forged(placed: PlacedBlock, issued: IssuedValue | undefined, context: Context): boolean {
  if (!issued) return true;
  if (placed.type === 'thinking' && issued.text !== undefined && issued.text !== placed.block.thinking) return true;
  // Models that bind the prefix drop blocks of other models silently instead.
  return !enforcesPrefix(context) && !sameFamily(issued, context);
}

function difference(placed: PlacedBlock, context: Context): string | undefined {
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
  return thinkingBlocks(context.blocks)
    .filter((placed) => difference(placed, context) !== undefined)
    .map(({ path }) => path);
}

export const signatureRules: readonly AnthropicRule[] = [
  {
    id: 'signature',
    check: (context) =>
      first(thinkingBlocks(context.blocks), (placed) => {
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
      return first(thinkingBlocks(latest?.blocks ?? []), (placed) => {
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
      return first(thinkingBlocks(context.blocks), (placed) => {
        const why = difference(placed, context);
        return (
          why &&
          `${placed.path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block". That setting requires the \`${BINDING_BETA}\` value in the \`anthropic-beta\` header. ${why}`
        );
      });
    },
  },
];
