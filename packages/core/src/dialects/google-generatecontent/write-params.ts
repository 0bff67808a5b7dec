import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import type { RequestParams } from '../request.ts';
import { writeSimple } from '../simple-params.ts';
import { type BodyMember, dropped, type Target, targetToolName } from '../write/index.ts';
import { choiceText, MODES, SIMPLE } from './read-params.ts';

export function paramMembers(params: RequestParams, target: Target, losses: LossNote[]): BodyMember[] {
  const { stream: _, parallelToolCalls, toolChoice, reasoning, modalities, ...simple } = params;
  if (parallelToolCalls === false) losses.push(dropped('params.parallelToolCalls', 'parameter'));
  const config = writeSimple(simple, SIMPLE, losses);
  if (modalities) config.push(['responseModalities', JSON.stringify(modalities).toUpperCase()]);
  const thinking = reasoning && thinkingMember(reasoning, target, losses);
  if (thinking) config.push(['thinkingConfig', `{${thinking}}`]);
  // One member, so that what `extra` says of it merges.
  const members: BodyMember[] = [];
  if (config.length > 0)
    members.push(['generationConfig', `{${config.map(([name, text]) => `"${name}":${text}`).join(',')}}`]);
  if (typeof toolChoice === 'string') members.push(['toolConfig', choiceText(MODES[toolChoice])]);
  else if (toolChoice) {
    const name = targetToolName(toolChoice.name, target.provider.policies, 'params.toolChoice', losses);
    members.push(['toolConfig', choiceText('ANY', `,"allowedFunctionNames":[${JSON.stringify(name)}]`)]);
  }
  return members;
}

/** Level and budget exclude each other: a budget, the more exact of the two, counts. Older models take only that. */
function thinkingMember(
  { effort, budget }: NonNullable<RequestParams['reasoning']>,
  { provider, model }: Target,
  losses: LossNote[],
): string | undefined {
  const takesLevels = forModel(provider.policies.quirks.thinkingLevels ?? { default: true }, model);
  if (effort !== undefined && budget === undefined && takesLevels)
    return `"thinkingLevel":${JSON.stringify(effort.toUpperCase())}`;
  if (effort !== undefined) losses.push(dropped('params.reasoning.effort', 'parameter'));
  return budget === undefined ? undefined : `"thinkingBudget":${budget}`;
}
