import { dropped, type LossNote } from '../loss.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import type { BodyMember } from '../write/frame.ts';
import type { Target } from '../write/writer.ts';

/** Parameters that are one plain member. The tool choice and reasoning are not: when a request is read, they stay in `rest`. */
export const PARAM_NAMES: ParamNames = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stream: 'stream',
  parallelToolCalls: 'parallel_tool_calls',
};

export function writeParams(
  params: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { reasoning, modalities } = params;
  const members = writeSimpleParams(params, PARAM_NAMES, losses);
  if (reasoning?.budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  const choice = toTargetChoice(params, target, losses, hasTools);
  if (modalities?.includes('audio')) losses.push(dropped('params.modalities', 'parameter', 'audio'));
  const named = typeof choice === 'object' ? { type: 'function', ...choice } : choice;
  return [
    ...members,
    ['tool_choice', JSON.stringify(named)],
    ['reasoning', reasoning?.effort === undefined ? undefined : JSON.stringify({ effort: reasoning.effort })],
  ];
}
