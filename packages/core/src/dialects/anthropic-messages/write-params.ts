import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import type { RequestParams } from '../request.ts';
import { targetChoice, writeSimple } from '../simple-params.ts';
import { type BodyMember, dropped, rewritten, type Target } from '../write/index.ts';
import { SIMPLE } from './params.ts';

/** `max_tokens` is required; this is what stands there when the caller does not care. */
const MAX_TOKENS = 4096;

export function paramMembers(
  params: RequestParams,
  target: Target,
  hasTools: boolean,
  losses: LossNote[],
): BodyMember[] {
  const { parallelToolCalls: _, modalities, reasoning, ...simple } = params;
  const { effort, budget } = reasoning ?? {};
  const { thinking: quirk = { default: 'effort' }, alwaysThinks = { default: false } } =
    target.provider.policies.quirks;
  const by = forModel(quirk, target.model);
  const takesEffort = by !== 'budget';
  const others = modalities?.filter((one) => one !== 'text') ?? [];
  if (others.length > 0) losses.push(dropped('params.modalities', 'parameter', others.join()));

  /**
   * Older models think by a budget, newer ones by effort, a few take either (quirk `thinking`). What was given for the
   * other kind is not guessed at: a budget only switches thinking on, an effort is left out. `none` switches it off.
   */
  const thinking = (): string | undefined => {
    if (effort === 'none') return forModel(alwaysThinks, target.model) ? undefined : '{"type":"disabled"}';
    if (budget !== undefined && by !== 'effort') return `{"type":"enabled","budget_tokens":${budget}}`;
    return takesEffort && (effort ?? budget) !== undefined ? '{"type":"adaptive"}' : undefined;
  };
  const thought = thinking();
  const isSaid = effort === 'none' ? thought !== undefined : takesEffort;
  if (effort !== undefined && !isSaid) losses.push(dropped('params.reasoning.effort', 'parameter'));
  if (budget !== undefined && effort !== 'none' && by === 'effort')
    losses.push(rewritten('params.reasoning.budget', 'parameter'));
  // A budget is part of the tokens that may be written (`budget-max`).
  const maxTokens = MAX_TOKENS + (effort === 'none' || by === 'effort' ? 0 : (budget ?? 0));
  return [
    ...writeSimple({ ...simple, maxTokens: params.maxTokens ?? maxTokens }, SIMPLE, losses),
    ['tool_choice', choiceText(params, target, hasTools, losses)],
    ['thinking', thought],
    ['output_config', effort !== 'none' && effort && takesEffort ? `{"effort":${JSON.stringify(effort)}}` : undefined],
  ];
}

function choiceText(params: RequestParams, target: Target, hasTools: boolean, losses: LossNote[]): string | undefined {
  const isSingle = params.parallelToolCalls === false;
  if (params.toolChoice === undefined && !isSingle) return undefined;
  if (!hasTools) {
    losses.push(dropped('params.toolChoice', 'parameter', 'no tools'));
    return undefined;
  }
  const choice = targetChoice(params, target, losses);
  const named = typeof choice === 'object' ? { type: 'tool', ...choice } : { type: TYPES[choice ?? 'auto'] };
  return JSON.stringify({ ...named, ...(isSingle && choice !== 'none' && { disable_parallel_tool_use: true }) });
}

const TYPES = { auto: 'auto', none: 'none', required: 'any' } as const;
