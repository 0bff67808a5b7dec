import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import type { RequestParams } from '../request.ts';
import { targetChoice, writeSimple } from '../simple-params.ts';
import { type BodyMember, dropped, membersText, type Target } from '../write/index.ts';
import { choiceText, MODES, SIMPLE } from './read-params.ts';

export function paramMembers(
  params: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { stream: _, parallelToolCalls, toolChoice: __, reasoning, modalities, ...simple } = params;
  if (parallelToolCalls === false) losses.push(dropped('params.parallelToolCalls', 'parameter'));
  const config = membersText([
    ...writeSimple(simple, SIMPLE, losses),
    ['responseModalities', modalities && JSON.stringify(modalities).toUpperCase()],
    ['thinkingConfig', reasoning && thinkingText(reasoning, target, losses)],
  ]);
  const choice = targetChoice(params, target, losses, hasTools);
  const chosen =
    typeof choice === 'object'
      ? choiceText('ANY', `,"allowedFunctionNames":[${JSON.stringify(choice.name)}]`)
      : choice && choiceText(MODES[choice]);
  return [
    // One member, so that what `extra` says of it merges.
    ['generationConfig', config ? `{${config}}` : undefined],
    ['toolConfig', chosen],
  ];
}

/** Level and budget exclude each other: a budget, the more exact of the two, counts. Older models take only that. */
function thinkingText(
  { effort, budget }: NonNullable<RequestParams['reasoning']>,
  { provider, model }: Target,
  losses: LossNote[],
): string | undefined {
  const takesLevels = forModel(provider.policies.quirks.thinkingLevels ?? { default: true }, model);
  if (effort !== undefined && budget === undefined && takesLevels)
    return `{"thinkingLevel":${JSON.stringify(effort.toUpperCase())}}`;
  if (effort !== undefined) losses.push(dropped('params.reasoning.effort', 'parameter'));
  return budget === undefined ? undefined : `{"thinkingBudget":${budget}}`;
}
