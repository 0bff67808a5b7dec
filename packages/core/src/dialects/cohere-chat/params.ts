import { dropped, type LossNote, rewritten } from '../loss.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import type { BodyMember } from '../write/frame.ts';
import type { Target } from '../write/writer.ts';

export const PARAM_NAMES: ParamNames = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'p',
  stop: 'stop_sequences',
  seed: 'seed',
  stream: 'stream',
};

/** Without a word, the model decides. */
export const CHOICES = [
  ['none', 'NONE'],
  ['required', 'REQUIRED'],
] as const;

export function writeParams(
  params: RequestParams,
  target: Target,
  hasTools: boolean,
  losses: LossNote[],
): BodyMember[] {
  const { toolChoice: _, parallelToolCalls, modalities, reasoning, ...simple } = params;
  if (parallelToolCalls === false) losses.push(dropped('params.parallelToolCalls', 'parameter'));
  const others = modalities?.filter((one) => one !== 'text') ?? [];
  if (others.length > 0) losses.push(dropped('params.modalities', 'parameter', others.join()));
  return [
    ...writeSimpleParams(simple, PARAM_NAMES, losses),
    ['tool_choice', choiceText(params, target, hasTools, losses)],
    ['thinking', reasoning && thinkingText(reasoning, losses)],
  ];
}

/** A single tool cannot be named: some tool must be called then. */
function choiceText(params: RequestParams, target: Target, hasTools: boolean, losses: LossNote[]): string | undefined {
  const choice = toTargetChoice(params, target, losses, hasTools);
  if (typeof choice === 'object') losses.push(rewritten('params.toolChoice', 'parameter', choice.name));
  const native = CHOICES.find(([name]) => name === (typeof choice === 'object' ? 'required' : choice))?.[1];
  return native && JSON.stringify(native);
}

function thinkingText(
  { effort, budget }: NonNullable<RequestParams['reasoning']>,
  losses: LossNote[],
): string | undefined {
  if (effort === 'none') return '{"type":"disabled"}';
  if (effort !== undefined) losses.push(rewritten('params.reasoning.effort', 'parameter'));
  if ((effort ?? budget) === undefined) return undefined;
  return budget === undefined ? '{"type":"enabled"}' : `{"type":"enabled","token_budget":${budget}}`;
}
