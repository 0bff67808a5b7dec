/** The `thinking` setting, what it forbids beside it, and effort. */
import { isObject } from '../../json.ts';
import type { Context } from './context.ts';
import {
  effortLevels,
  takesAdaptiveThinking,
  takesDisabledThinking,
  takesEnabledThinking,
  takesForcedTool,
} from './models.ts';
import type { Rule } from './rule.ts';

export const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

const forced = ({ body: { tool_choice: choice } }: Context): boolean =>
  isObject(choice) && (choice.type === 'any' || choice.type === 'tool');

/** With interleaved thinking the budget spans several replies, so it may exceed max_tokens. */
const interleaved = ({ betas }: Context): boolean => betas.some((beta) => beta.startsWith('interleaved-thinking'));

const unsupported = (type: string, instead: string) =>
  `"thinking.type.${type}" is not supported for this model. ${instead}`;

export const thinkingRules: readonly Rule[] = [
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
