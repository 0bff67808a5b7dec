import { isObject, isText } from '../../json/index.ts';
import type { Need } from '../../message/index.ts';
import { forModel } from '../provider.ts';
import { areArguments } from '../write/translate.ts';
import type { Target } from '../write/writer.ts';
import {
  type Call,
  type Content,
  field,
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
