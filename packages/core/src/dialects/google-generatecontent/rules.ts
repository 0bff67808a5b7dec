import { isObject, isText, type JsonObject, removeMembers, splice } from '../../json/index.ts';
import type { Need } from '../../message/index.ts';
import { dropped, type LossNote } from '../loss.ts';
import { forModel, readQuirk } from '../provider.ts';
import {
  type ParamNames,
  type RequestParams,
  readSimpleParams,
  toTargetChoice,
  writeSimpleParams,
} from '../request.ts';
import { type BodyMember, joinMembers } from '../write/frame.ts';
import { areArguments } from '../write/translate.ts';
import type { Target } from '../write/writer.ts';
import {
  type Call,
  type Content,
  field,
  fieldText,
  findKey,
  isField,
  isPlainText,
  objectField,
  type Part,
  readArguments,
  stringField,
} from './parts.ts';

/**
 * Why a content cannot be sent as it is. An empty text is fine: streamed signatures often stand on one (see "surprises"
 * in wire-rules.md).
 */
export function findNeeds({ parts }: Content, calls: readonly Call[]): readonly Need[] {
  const callsByPart = new Set(calls.flatMap((call) => call.parts));
  const signatures = parts.filter((part) => !isPlainText(part)).map(({ value }) => field(value, 'thoughtSignature'));
  const isEmpty =
    parts.length === 0 ||
    parts.some(
      (part, index) => !isPlainText(part) && !callsByPart.has(index) && (isHollow(part) || isNameless(part)),
    ) ||
    // `sig-empty`
    signatures.includes('');
  const needs: (Need | false)[] = [
    isEmpty && 'empty',
    calls.some((call) => call.pieces || !areArguments(readArguments(call))) && 'arguments',
    calls.some((call) => call.isOpen) && 'cut',
    signatures.some((signature) => isText(signature)) && 'bound',
  ];
  return needs.filter((need) => need !== false);
}

/** `oneof-none`: a part that is empty, or has only a thought mark or a signature. */
export function isHollow({ value }: Part): boolean {
  if (!isObject(value)) return false;
  return Object.keys(value).every(
    (name) => value[name] === null || name === 'thought' || isField(name, 'thoughtSignature'),
  );
}

/** `name-empty`: a call or a response without a function name. */
export function isNameless({ value }: Part): boolean {
  const named = objectField(value, 'functionCall') ?? objectField(value, 'functionResponse');
  return named !== undefined && !stringField(named, 'name');
}

/** Whether the first call of a message must be signed (`sig-missing`). */
export function isSignatureRequired(target: Target, model: string = target.model): boolean {
  const { signatureRequired = { default: false } } = target.provider.policies.quirks;
  return forModel(signatureRequired, model) === true;
}

const PARAM_NAMES: ParamNames = {
  maxTokens: 'maxOutputTokens',
  temperature: 'temperature',
  topP: 'topP',
  stop: 'stopSequences',
  seed: 'seed',
};

const MODES = { auto: 'AUTO', none: 'NONE', required: 'ANY' } as const;

/** Reads the parameters that every dialect knows. A member that says more than a parameter can hold is left in place. */
export function readParams(
  body: string,
  value: JsonObject,
): { params: RequestParams; taken: string[]; left: Record<string, string> } {
  const config = field(value, 'generationConfig');
  const spelled = Object.entries(PARAM_NAMES).map(([param, name]) => [param, findKey(config, name) ?? name]);
  const { params, taken } = readSimpleParams(isObject(config) ? config : {}, Object.fromEntries(spelled));
  const reasoning = readThinking(field(config, 'thinkingConfig'));
  if (reasoning) {
    params.reasoning = reasoning;
    taken.push(findKey(config, 'thinkingConfig')!);
  }
  const choice = readChoice(field(value, 'toolConfig'));
  if (choice) params.toolChoice = choice;
  const names = choice ? [findKey(value, 'toolConfig')!] : [];
  if (!isObject(config) || taken.length === 0) return { params, taken: names, left: {} };
  const name = findKey(value, 'generationConfig')!;
  const text = fieldText(body, value, 'generationConfig')!;
  const left = splice(
    text,
    removeMembers(text, 0, (member) => taken.includes(member)),
  );
  return { params, taken: [...names, name], left: Object.keys(config).length > taken.length ? { [name]: left } : {} };
}

function readThinking(config: unknown): RequestParams['reasoning'] {
  const effort = stringField(config, 'thinkingLevel')?.toLowerCase();
  const budget = field(config, 'thinkingBudget');
  if (!isObject(config) || Object.keys(config).length > 1) return undefined;
  return effort ? { effort } : typeof budget === 'number' ? { budget } : undefined;
}

function readChoice(config: unknown): RequestParams['toolChoice'] {
  const text = JSON.stringify(config);
  return (['auto', 'none', 'required'] as const).find((choice) => choiceText(MODES[choice]) === text);
}

function choiceText(mode: string, more = ''): string {
  return `{"functionCallingConfig":{"mode":"${mode}"${more}}}`;
}

export function writeParams(
  params: RequestParams,
  hasTools: boolean,
  target: Target,
  losses: LossNote[],
): BodyMember[] {
  const { stream: _, parallelToolCalls, toolChoice: __, reasoning, modalities, ...simple } = params;
  if (parallelToolCalls === false) losses.push(dropped('params.parallelToolCalls', 'parameter'));
  const config = joinMembers([
    ...writeSimpleParams(simple, PARAM_NAMES, losses),
    ['responseModalities', modalities && JSON.stringify(modalities).toUpperCase()],
    ['thinkingConfig', reasoning && thinkingText(reasoning, target, losses)],
  ]);
  const choice = toTargetChoice(params, target, losses, hasTools);
  const chosen =
    typeof choice === 'object'
      ? choiceText('ANY', `,"allowedFunctionNames":[${JSON.stringify(choice.name)}]`)
      : choice && choiceText(MODES[choice]);
  return [
    // One member, so that a `generationConfig` in `extra` is merged with it.
    ['generationConfig', config ? `{${config}}` : undefined],
    ['toolConfig', chosen],
  ];
}

/** Level and budget exclude each other: the budget wins, because it is more exact. Older models take only budgets. */
function thinkingText(
  { effort, budget }: NonNullable<RequestParams['reasoning']>,
  target: Target,
  losses: LossNote[],
): string | undefined {
  const takesLevels = readQuirk(target, 'thinkingLevels', true);
  if (effort !== undefined && budget === undefined && takesLevels)
    return `{"thinkingLevel":${JSON.stringify(effort.toUpperCase())}}`;
  if (effort !== undefined) losses.push(dropped('params.reasoning.effort', 'parameter'));
  return budget === undefined ? undefined : `{"thinkingBudget":${budget}}`;
}
