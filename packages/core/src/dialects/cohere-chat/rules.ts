import { isJson, isObject, type JsonObject } from '../../json/index.ts';
import { dropped, type LossNote, rewritten } from '../loss.ts';
import { type ParamNames, type RequestParams, toTargetChoice, writeSimpleParams } from '../request.ts';
import type { BodyMember } from '../write/frame.ts';
import type { Target } from '../write/writer.ts';

// What the API refuses in its own messages: the view reports it as needs, and writing a request repairs it.

/** The calls of a message; anything else in their list is passed over. */
export function callsIn(message: JsonObject): readonly JsonObject[] {
  return Array.isArray(message.tool_calls) ? message.tool_calls.filter(isObject) : [];
}

/** The arguments of a call as the model wrote them. */
export function argumentsOf({ function: called }: JsonObject): string {
  return isObject(called) && typeof called.arguments === 'string' ? called.arguments : '';
}

/** `tool-arguments`: models write `null` for none, and that is taken back; an empty text is not JSON. */
export function hasBadArguments(call: JsonObject): boolean {
  return !isJson(argumentsOf(call));
}

/** `empty-text` */
export function isEmptyText(part: unknown): boolean {
  return isObject(part) && (part.type === 'text' ? part.text === '' : part.type === 'thinking' && part.thinking === '');
}

/** Whether the last call of a reply that was cut has no complete arguments. */
export function hasOpenCall(message: JsonObject): boolean {
  const last = callsIn(message).at(-1);
  return last !== undefined && hasBadArguments(last);
}

/** Whether a reply that was cut ends in a thought: nothing says that it is complete. */
export function endsInThought(message: JsonObject): boolean {
  const last: unknown = Array.isArray(message.content) ? message.content.at(-1) : undefined;
  return callsIn(message).length === 0 && isObject(last) && last.type === 'thinking';
}

/** `empty-content`: neither content nor calls. A result may be empty. */
export function saysNothing(message: JsonObject): boolean {
  if (message.role === 'tool' || callsIn(message).length > 0) return false;
  const { content } = message;
  if (!Array.isArray(content)) return typeof content !== 'string' || content === '';
  return content.every(isEmptyText);
}

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
