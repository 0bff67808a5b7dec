import { isObject, isText } from '../../json/index.ts';
import type { Need, Origin } from '../../message/index.ts';
import { forModel } from '../provider.ts';
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
export function storeText({ store, provider, model }: Target, extra: Readonly<Record<string, string>>): string {
  const { store: quirk } = provider.policies.quirks;
  return store ?? String(extra.background === 'true' || (quirk !== undefined && forModel(quirk, model)));
}
