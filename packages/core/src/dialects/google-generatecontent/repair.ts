import {
  areArguments,
  argumentsText,
  dropped,
  type OwnRules,
  type Repair,
  rewritten,
  synthesised,
} from '../write/index.ts';
import { addCall, argsOf, type Call } from './calls.ts';
import { type Part, readContent } from './content.ts';
import { field, fieldText, keysOf } from './fields.ts';
import { isSignatureRequired, PLACEHOLDER } from './forms.ts';
import { isHollow, isNameless } from './needs.ts';

const SIGNATURE = 'thoughtSignature';

/** Changes a content where it would be refused. Says which calls and results are kept. */
export const repair: OwnRules['repair'] = (repairing) => {
  const { message, target, elsewhere, changes, losses, drop } = repairing;
  const { parts } = readContent(message.raw);
  const calls: Call[] = [];
  const ofCalls = parts.map((part, index) => addCall(calls, index, part.value, part.text));
  const signed = isSignatureRequired(target) ? calls.find((call) => !call.isOpen) : undefined;
  const kept = parts.filter((part, index) => {
    const call = ofCalls[index];
    const path = `parts[${index}]`;
    const given = (call?.parts ?? [index]).map((at) => fieldText(parts[at]!.text, parts[at]!.value, SIGNATURE));
    const found = given.find((text) => text !== undefined && text !== '""');
    const usable = elsewhere ? undefined : found;
    const isHollowPart = isHollow(part);
    // The first part of a call stands for all of them.
    const isMerged = call !== undefined && call.parts[0] !== index;
    const isEmpty = (isHollowPart && usable === undefined) || (!call && isNameless(part));
    if (isMerged) changes.set(part.path);
    else if (call?.isOpen || isEmpty) drop(part.path, call ? 'cut' : (found && elsewhere) || 'empty');
    if (isMerged || call?.isOpen || isEmpty) return false;
    if (found !== usable) losses.push(dropped(path, elsewhere!));
    else if (isHollowPart || given.includes('""')) losses.push(rewritten(path, 'empty'));
    if (isHollowPart) changes.set([...part.path, 'text'], '""');
    const isUnsigned = call !== undefined && call === signed && usable === undefined;
    if (isUnsigned) losses.push(synthesised(path, 'signature-placeholder'));
    const signature = isUnsigned ? PLACEHOLDER : usable;
    if (signature !== given[0]) setField(repairing, part, [SIGNATURE], signature);
    if (call) repairArguments(repairing, part, call, path);
    return true;
  });
  const results = parts.filter(({ value }) => field(value, 'functionResponse'));
  const { facts } = message;
  return kept.length > 0
    ? {
        calls: facts.calls.filter((_, index) => !calls[index]!.isOpen),
        results: facts.results.filter((_, index) => kept.includes(results[index]!)),
      }
    : undefined;
};

/** One whole call from its pieces, and a stand-in for arguments that are no object (`struct`). */
function repairArguments(repair: Repair, part: Part, call: Call, path: string): void {
  const text = argsOf(call);
  if (!call.pieces && areArguments(text)) return;
  if (call.pieces) repair.losses.push(rewritten(path, 'merged'));
  const args = argumentsText(text, `${path}.functionCall.args`, repair.losses);
  setField(repair, part, ['functionCall', 'partialArgs'], undefined);
  setField(repair, part, ['functionCall', 'willContinue'], undefined);
  setField(repair, part, ['functionCall', 'args'], args);
}

/** Puts a text in the place of a field, takes the field out or adds it. */
function setField(
  { changes }: Repair,
  { path, value }: Part,
  names: readonly string[],
  text: string | undefined,
): void {
  const outer = names.slice(0, -1);
  changes.set([...path, ...(keysOf(value, names) ?? [...keysOf(value, outer)!, ...names.slice(-1)])], text);
}
