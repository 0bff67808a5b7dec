import type { LossNote } from '../loss.ts';
import type { RequestParams } from '../request.ts';
import { writeSimple } from '../simple-params.ts';
import { type BodyMember, dropped, type Target, targetToolName } from '../write/index.ts';
import { SIMPLE } from './params.ts';

export function paramMembers(params: RequestParams, target: Target, losses: LossNote[]): BodyMember[] {
  const { toolChoice: choice, reasoning, modalities } = params;
  const members = writeSimple(params, SIMPLE, losses);
  if (choice !== undefined) {
    const named = typeof choice === 'object' && {
      type: 'function',
      name: targetToolName(choice.name, target.provider.policies, 'params.toolChoice', losses),
    };
    members.push(['tool_choice', JSON.stringify(named || choice)]);
  }
  if (modalities?.includes('audio')) losses.push(dropped('params.modalities', 'parameter', 'audio'));
  if (reasoning?.effort !== undefined) members.push(['reasoning', JSON.stringify({ effort: reasoning.effort })]);
  if (reasoning?.budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  return members;
}
