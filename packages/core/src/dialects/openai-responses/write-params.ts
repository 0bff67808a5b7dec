import type { LossNote } from '../loss.ts';
import type { RequestParams } from '../request.ts';
import { writeSimple } from '../simple-params.ts';
import type { BodyMember } from '../write/frame.ts';
import { dropped } from '../write/notes.ts';
import { targetToolName } from '../write/tool-names.ts';
import type { Target } from '../write/writer.ts';
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
