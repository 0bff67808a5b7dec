import { writeThinking } from '../anthropic-messages/params.ts';
import { dropped, type LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import { type BodyMember, joinMembers } from '../write/frame.ts';
import type { Target } from '../write/writer.ts';

/** The members of `inferenceConfig`. */
export const PARAM_NAMES: ParamNames = {
  maxTokens: 'maxTokens',
  temperature: 'temperature',
  topP: 'topP',
  stop: 'stopSequences',
};

/** The members behind the messages. Whether a reply is streamed is told by the address. */
export function writeParams(params: RequestParams, target: Target, losses: LossNote[]): BodyMember[] {
  const { stream: _, toolChoice: __, parallelToolCalls, modalities, reasoning, ...simple } = params;
  if (parallelToolCalls === false) losses.push(dropped('params.parallelToolCalls', 'parameter'));
  const others = modalities?.filter((one) => one !== 'text') ?? [];
  if (others.length > 0) losses.push(dropped('params.modalities', 'parameter', others.join()));
  const thought = writeReasoning({ ...simple, reasoning: reasoning ?? {} }, target, losses);
  const config = joinMembers(writeSimpleParams(thought.simple, PARAM_NAMES, losses));
  const fields = joinMembers(thought.members);
  return [
    ['inferenceConfig', config ? `{${config}}` : undefined],
    ['additionalModelRequestFields', fields ? `{${fields}}` : undefined],
  ];
}

interface ReasoningMembers {
  /** Those of `additionalModelRequestFields`, in which each maker of models has its own. */
  readonly members: readonly BodyMember[];
  /** The other parameters, as far as they are taken beside reasoning. */
  readonly simple: RequestParams;
}

function writeReasoning(params: RequestParams, target: Target, losses: LossNote[]): ReasoningMembers {
  const { reasoning = {}, ...simple } = params;
  const { effort, budget } = reasoning;
  if ((effort ?? budget) === undefined) return { members: [], simple };
  const way = forModel(target.provider.policies.quirks.reasoning ?? { default: false }, target.model);
  if (way === 'thinking') return writeThinking(params, target, losses);
  if (budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  const word = JSON.stringify(effort);
  const isKnown = effort !== undefined && typeof way === 'string' && effort !== 'none';
  if (effort !== undefined && !isKnown) losses.push(dropped('params.reasoning.effort', 'parameter'));
  if (!isKnown) return { members: [], simple };
  const text = way === 'reasoningConfig' ? `{"type":"enabled","maxReasoningEffort":${word}}` : word;
  return { members: [[way, text]], simple };
}

/** `toolChoice`; the API has no word for "none". */
export function writeChoice(
  params: RequestParams,
  target: Target,
  hasTools: boolean,
  losses: LossNote[],
): string | undefined {
  const choice = toTargetChoice(params, target, losses, hasTools);
  if (choice === 'none') losses.push(dropped('params.toolChoice', 'parameter', 'none'));
  if (typeof choice === 'object') return JSON.stringify({ tool: choice });
  return choice === 'auto' ? '{"auto":{}}' : choice === 'required' ? '{"any":{}}' : undefined;
}
