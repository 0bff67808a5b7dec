import { isObject } from '../../json/index.ts';
import type { Need } from '../../message/index.ts';
import { areArguments } from '../write/arguments.ts';
import type { Call } from './calls.ts';
import type { Content, Part } from './content.ts';
import { field, isField, objectField, stringField } from './fields.ts';

/**
 * Why the text of a content cannot be sent as it is. An empty text is fine: a streamed signature often stands on
 * one (see "surprises" in wire-rules.md).
 */
export function needsOf({ parts }: Content, calls: readonly Call[]): readonly Need[] {
  const needs: Need[] = [];
  const ofCalls = new Set(calls.flatMap((call) => call.parts));
  const empty = parts.some((part, index) => !ofCalls.has(index) && (isHollow(part) || isNameless(part)));
  if (parts.length === 0 || empty || parts.some(hasEmptySignature)) needs.push('empty');
  if (calls.some((call) => call.inPieces || !areArguments(call.args))) needs.push('arguments');
  if (calls.some((call) => call.cut)) needs.push('cut');
  if (parts.some((part) => signatureOf(part))) needs.push('bound');
  return needs;
}

/** `oneof-none`: nothing, or nothing but a thought mark or a signature. */
export function isHollow({ value }: Part): boolean {
  if (!isObject(value)) return false;
  return Object.keys(value).every(
    (name) => value[name] === null || isField(name, 'thought') || isField(name, 'thoughtSignature'),
  );
}

/** `name-empty`: a call or a response that does not say of what. */
export function isNameless({ value }: Part): boolean {
  if (!isObject(value)) return false;
  const named = objectField(value, 'functionCall') ?? objectField(value, 'functionResponse');
  return named !== undefined && !stringField(named, 'name');
}

/** `sig-empty` */
function hasEmptySignature({ value }: Part): boolean {
  return isObject(value) && field(value, 'thoughtSignature') === '';
}

export function signatureOf({ value }: Part): string | undefined {
  return (isObject(value) && stringField(value, 'thoughtSignature')) || undefined;
}
