import type { Changes } from '../../json/index.ts';
import type { LossNote, LossReason } from '../loss.ts';
import { areArguments, argumentsText } from '../write/arguments.ts';
import { dropped, rewritten, synthesised } from '../write/notes.ts';
import { addCall, argsOf, type Call } from './calls.ts';
import { type Part, readContent } from './content.ts';
import { field, fieldText, keysOf } from './fields.ts';
import { PLACEHOLDER } from './forms.ts';
import { isHollow, isNameless } from './needs.ts';

const SIGNATURE = 'thoughtSignature';

interface Repairing {
  readonly raw: string;
  /** Why its signatures may not be sent, if they may not. */
  readonly elsewhere: LossReason | undefined;
  /** Whether the first call must carry a signature. */
  readonly signs: boolean;
  readonly changes: Changes;
  readonly losses: LossNote[];
}

/** Changes a content where it would be refused. Says how many parts are kept, and which calls and results. */
export function repair({ raw, elsewhere, signs, changes, losses }: Repairing) {
  const { parts } = readContent(raw);
  const calls: Call[] = [];
  const ofCalls = parts.map((part, index) => addCall(calls, index, part.value, part.text));
  const signed = signs ? calls.find((call) => !call.isOpen) : undefined;
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
    if (isMerged || call?.isOpen || isEmpty) {
      changes.drop(part.path);
      if (!isMerged) losses.push(dropped(path, call ? 'cut' : (found && elsewhere) || 'empty'));
      return false;
    }
    if (found !== usable) losses.push(dropped(path, elsewhere!));
    else if (isHollowPart || given.includes('""')) losses.push(rewritten(path, 'empty'));
    if (isHollowPart) changes.add(part.path, 'text', '""');
    const isUnsigned = call !== undefined && call === signed && usable === undefined;
    if (isUnsigned) losses.push(synthesised(path, 'signature-placeholder'));
    const signature = isUnsigned ? PLACEHOLDER : usable;
    if (signature !== given[0]) setField(changes, part, [SIGNATURE], signature);
    if (call) repairArguments(part, call, path, changes, losses);
    return true;
  });
  return {
    kept: kept.length,
    calls: calls.map((call) => !call.isOpen),
    results: parts.filter(({ value }) => field(value, 'functionResponse')).map((part) => kept.includes(part)),
  };
}

/** One whole call from its pieces, and a stand-in for arguments that are no object (`struct`). */
function repairArguments(part: Part, call: Call, path: string, changes: Changes, losses: LossNote[]): void {
  const text = argsOf(call);
  if (!call.pieces && areArguments(text)) return;
  if (call.pieces) losses.push(rewritten(path, 'merged'));
  const args = argumentsText(text, `${path}.functionCall.args`, losses);
  setField(changes, part, ['functionCall', 'partialArgs'], undefined);
  setField(changes, part, ['functionCall', 'willContinue'], undefined);
  setField(changes, part, ['functionCall', 'args'], args);
}

/** Puts a text in the place of a field, takes the field out or adds it. */
function setField(changes: Changes, part: Part, names: readonly string[], text: string | undefined): void {
  const keys = keysOf(part.value, names);
  if (keys && text === undefined) changes.drop([...part.path, ...keys]);
  else if (keys) changes.replace([...part.path, ...keys], text!);
  else if (text !== undefined)
    changes.add([...part.path, ...keysOf(part.value, names.slice(0, -1))!], names.at(-1)!, text);
}
