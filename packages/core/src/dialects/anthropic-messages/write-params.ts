import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import type { RequestParams } from '../request.ts';
import { writeSimple } from '../simple-params.ts';
import { type BodyMember, dropped, rewritten, type Target, targetToolName } from '../write/index.ts';
import { SIMPLE } from './params.ts';

/** `max_tokens` is required; this is what stands there when the caller does not care. */
const MAX_TOKENS = 4096;

export function paramMembers(
  params: RequestParams,
  target: Target,
  hasTools: boolean,
  losses: LossNote[],
): BodyMember[] {
  const reasoning = reasoningMembers(params, target, losses);
  const others = params.modalities?.filter((one) => one !== 'text') ?? [];
  if (others.length > 0) losses.push(dropped('params.modalities', 'parameter', others.join()));
  // A budget is part of the tokens that may be written (`budget-max`).
  const maxTokens = params.maxTokens ?? MAX_TOKENS + reasoning.budget;
  const { parallelToolCalls: _, ...simple } = params;
  return [
    ...writeSimple({ ...simple, maxTokens }, SIMPLE, losses),
    ...toolChoiceMember(params, target, hasTools, losses),
    ...reasoning.members,
  ];
}

function toolChoiceMember(params: RequestParams, target: Target, hasTools: boolean, losses: LossNote[]): BodyMember[] {
  const { toolChoice: choice, parallelToolCalls: parallel } = params;
  if (choice === undefined && parallel !== false) return [];
  if (!hasTools) {
    losses.push(dropped('params.toolChoice', 'parameter', 'no tools'));
    return [];
  }
  if (choice === 'none') return [['tool_choice', '{"type":"none"}']];
  const single = parallel === false ? ',"disable_parallel_tool_use":true' : '';
  if (typeof choice !== 'object')
    return [['tool_choice', `{"type":"${choice === 'required' ? 'any' : 'auto'}"${single}}`]];
  const name = targetToolName(choice.name, target.provider.policies, 'params.toolChoice', losses);
  return [['tool_choice', `{"type":"tool","name":${JSON.stringify(name)}${single}}`]];
}

/**
 * Older models think by a budget, newer ones by effort, a few take either (quirk `thinking`). What was given for the
 * other kind is not guessed at: a budget only switches thinking on, an effort is left out. `none` switches it off.
 */
function reasoningMembers(
  { reasoning }: RequestParams,
  target: Target,
  losses: LossNote[],
): { members: BodyMember[]; budget: number } {
  const { effort, budget } = reasoning ?? {};
  const { thinking, alwaysThinks } = target.provider.policies.quirks;
  const by = forModel(thinking ?? { default: 'effort' }, target.model);
  const takesEffort = by !== 'budget';
  if (effort === 'none') {
    if (!forModel(alwaysThinks ?? { default: false }, target.model))
      return { members: [['thinking', '{"type":"disabled"}']], budget: 0 };
    losses.push(dropped('params.reasoning.effort', 'parameter'));
    return { members: [], budget: 0 };
  }
  const members: BodyMember[] = [];
  if (budget !== undefined && by !== 'effort')
    members.push(['thinking', `{"type":"enabled","budget_tokens":${budget}}`]);
  else if (takesEffort && (effort !== undefined || budget !== undefined))
    members.push(['thinking', '{"type":"adaptive"}']);
  if (effort !== undefined && takesEffort) members.push(['output_config', `{"effort":${JSON.stringify(effort)}}`]);
  if (effort !== undefined && !takesEffort) losses.push(dropped('params.reasoning.effort', 'parameter'));
  if (budget !== undefined && by === 'effort') losses.push(rewritten('params.reasoning.budget', 'parameter'));
  return { members, budget: by === 'effort' ? 0 : (budget ?? 0) };
}
