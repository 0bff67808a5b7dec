import { dropped, type LossNote } from '../loss.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import type { BodyMember } from '../write/frame.ts';
import type { Target } from '../write/writer.ts';
import { quirk } from './rules.ts';

/**
 * Parameters that are one plain member. The older name of the token limit is `max_tokens`; many compatible providers
 * know only that. The tool choice and reasoning are not plain: when a request is read, they stay in `rest`.
 */
export const PARAM_NAMES = {
  maxTokens: 'max_completion_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop',
  seed: 'seed',
  stream: 'stream',
  parallelToolCalls: 'parallel_tool_calls',
} satisfies ParamNames;

/** The members for the parameters. A tool choice is sent only together with tools (`tool-choice-no-tools`, `parallel-no-tools`). */
export function writeParams(
  params: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { reasoning, stream, modalities } = params;
  const { parallelToolCalls, ...others } = PARAM_NAMES;
  const names = {
    ...others,
    ...(hasTools && { parallelToolCalls }),
    maxTokens: String(quirk('maxTokensField', target)),
  };
  const members = writeSimpleParams(params, names, losses);
  if (reasoning?.budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  const choice = toTargetChoice(params, target, losses, hasTools);
  const named = typeof choice === 'object' ? { type: 'function', function: choice } : choice;
  return [
    ...members,
    ['stream_options', stream && quirk('streamUsage', target) ? '{"include_usage":true}' : undefined],
    ['modalities', JSON.stringify(modalities)],
    ['reasoning_effort', JSON.stringify(reasoning?.effort)],
    ['tool_choice', JSON.stringify(named)],
  ];
}
