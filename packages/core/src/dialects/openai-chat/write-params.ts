import type { LossNote } from '../loss.ts';
import type { RequestParams } from '../request.ts';
import { writeSimple } from '../simple-params.ts';
import { type BodyMember, dropped, type Target, targetToolName } from '../write/index.ts';
import { SIMPLE } from './params.ts';
import { quirk } from './quirks.ts';

/** How tools are chosen can only be said where there are tools (`tool-choice-no-tools`, `parallel-no-tools`). */
export function paramMembers(
  params: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { toolChoice: choice, reasoning, stream, modalities } = params;
  const { parallelToolCalls, ...others } = SIMPLE;
  const names = {
    ...others,
    ...(hasTools && { parallelToolCalls }),
    maxTokens: String(quirk('maxTokensField', target)),
  };
  const members = writeSimple(params, names, losses);
  if (stream && quirk('streamUsage', target)) members.push(['stream_options', '{"include_usage":true}']);
  if (modalities) members.push(['modalities', JSON.stringify(modalities)]);
  if (reasoning?.effort !== undefined) members.push(['reasoning_effort', JSON.stringify(reasoning.effort)]);
  if (reasoning?.budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  if (choice === undefined) return members;
  if (!hasTools) losses.push(dropped('params.toolChoice', 'parameter'));
  else {
    const named = typeof choice === 'object' && {
      type: 'function',
      function: { name: targetToolName(choice.name, target.provider.policies, 'params.toolChoice', losses) },
    };
    members.push(['tool_choice', JSON.stringify(named || choice)]);
  }
  return members;
}
