import { isObject, isText, type JsonObject, removeMembers, splice, textAt } from '../../json/index.ts';
import type { Need, Origin } from '../../message/index.ts';
import { dropped, type LossNote } from '../loss.ts';
import { readQuirk } from '../provider.ts';
import {
  type ParamNames,
  type RequestParams,
  readSimpleParams,
  toTargetChoice,
  writeSimpleParams,
} from '../request.ts';
import { type BodyMember, joinMembers } from '../write/frame.ts';
import type { Target } from '../write/writer.ts';
import { hasType, type Step } from './steps.ts';

/** Why a message cannot be sent as it is. */
export function findNeeds(steps: readonly Step[], isTurn: boolean, origin: Origin): Need[] {
  const values = steps.map(({ value }) => value);
  const needs: (Need | false)[] = [
    (values.length === 0 || values.some((step) => isHollow(step) || hasEmptySignature(step))) && 'empty',
    values.some(hasBrokenArguments) && 'arguments',
    isTurn && origin.cut === true && values.some(isIncomplete) && 'cut',
    values.some(isSigned) && 'bound',
  ];
  return needs.filter((need) => need !== false);
}

/** A step that says nothing: an output or an input without content, a thought without signature and summary. */
export function isHollow(step: unknown): boolean {
  if (hasType(step, 'thought')) return !isText(step.signature) && isBlank(step.summary);
  const isContent = hasType(step, 'model_output') || hasType(step, 'user_input');
  return isContent && isBlank(step.content) && step.error === undefined;
}

function isBlank(list: unknown): boolean {
  return Array.isArray(list) ? list.length === 0 : !list;
}

/** `interactions-signature-empty`: streams announce steps with an empty signature, which no request may have. */
export function hasEmptySignature(step: unknown): boolean {
  return isObject(step) && step.signature === '';
}

/** Whether a step has a signature, which only the issuer can read. */
export function isSigned(step: unknown): boolean {
  return isObject(step) && isText(step.signature);
}

export function hasBrokenArguments(step: unknown): boolean {
  return hasType(step, 'function_call') && !isObject(step.arguments);
}

/** Whether a step of a cut reply lacks something: a call its arguments, a thought its signature. */
export function isIncomplete(step: unknown): boolean {
  return hasBrokenArguments(step) || (hasType(step, 'thought') && !isText(step.signature));
}

/** The value of `store` as JSON text: whether the API keeps the interaction. What runs in the background must be kept. */
export function storeText(target: Target, extra: Readonly<Record<string, string>>): string {
  return target.store ?? String(extra.background === 'true' || readQuirk(target, 'store', false));
}

/** In `generation_config`. */
const PARAM_NAMES: ParamNames = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop_sequences',
  seed: 'seed',
};

const CONFIG = 'generation_config';
const CHOICES = { auto: 'auto', none: 'none', required: 'any' } as const;

/** Reads the parameters that every dialect knows. A member that says more than a parameter can hold is left in place. */
export function readParams(
  body: string,
  value: JsonObject,
): { params: RequestParams; taken: string[]; left: Record<string, string> } {
  const { params: top, taken: names } = readSimpleParams(value, { stream: 'stream' });
  const config = value[CONFIG];
  if (!isObject(config)) return { params: top, taken: names, left: {} };
  const { params, taken } = readSimpleParams(config, PARAM_NAMES);
  const { thinking_level: effort, tool_choice: choice } = config;
  if (typeof effort === 'string') {
    params.reasoning = { effort };
    taken.push('thinking_level');
  }
  const known = (['auto', 'none', 'required'] as const).find((name) => CHOICES[name] === choice);
  if (known) {
    params.toolChoice = known;
    taken.push('tool_choice');
  }
  const all = { ...top, ...params };
  if (taken.length === 0) return { params: all, taken: names, left: {} };
  const text = textAt(body, [CONFIG])!;
  const isRead = Object.keys(config).length === taken.length;
  const rest = isRead
    ? ''
    : splice(
        text,
        removeMembers(text, 0, (member) => taken.includes(member)),
      );
  return { params: all, taken: [...names, CONFIG], left: rest ? { [CONFIG]: rest } : {} };
}

export function writeParams(
  params: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { stream, parallelToolCalls, toolChoice: _, reasoning, modalities, ...simple } = params;
  if (parallelToolCalls === false) losses.push(dropped('params.parallelToolCalls', 'parameter'));
  if (reasoning?.budget !== undefined) losses.push(dropped('params.reasoning.budget', 'parameter'));
  const choice = toTargetChoice(params, target, losses, hasTools);
  const chosen =
    typeof choice === 'object' ? { allowed_tools: { mode: 'any', tools: [choice.name] } } : choice && CHOICES[choice];
  const config = joinMembers([
    ...writeSimpleParams(simple, PARAM_NAMES, losses),
    ['thinking_level', reasoning?.effort === undefined ? undefined : JSON.stringify(reasoning.effort.toLowerCase())],
    ['tool_choice', JSON.stringify(chosen)],
  ]);
  return [
    ['stream', JSON.stringify(stream)],
    // One member, so that a `generation_config` in `extra` is merged with it.
    [CONFIG, config ? `{${config}}` : undefined],
    ['response_format', JSON.stringify(modalities?.map((type) => ({ type })))],
  ];
}
