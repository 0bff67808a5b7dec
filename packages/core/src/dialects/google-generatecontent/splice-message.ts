import { type Edit, isObject, pieces, removals, splice, withoutMembers } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote, LossReason } from '../loss.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import { rewritten } from '../write/notes.ts';
import type { Target, Unit } from '../write/writer.ts';
import { callsIn } from './calls.ts';
import { type Content, type Part, readContent } from './content.ts';
import { objectField } from './fields.ts';
import { mayHold } from './refused.ts';
import { repairPart } from './repair-part.ts';
import { isSignatureRequired } from './signature.ts';
import { translateMessage } from './translate-message.ts';

/** Needs that mean a change; bound parts change only where they are bound elsewhere. */
const REPAIRS: readonly string[] = ['empty', 'arguments', 'cut'];

/** A message of this protocol and issuer: its own text, changed only where it would be refused. */
export function spliceMessage(
  message: Message,
  target: Target,
  { dropBound }: { readonly dropBound: boolean },
): readonly Unit[] {
  const { raw, facts } = message;
  if (facts.role === 'system') return translateMessage(message, target, { find: () => undefined });
  const isBound = facts.needs.includes('bound');
  const elsewhere = isBound ? boundElsewhere(message, target, dropBound) : undefined;
  const { refusedFields } = target.provider.policies;
  const isFine =
    elsewhere === undefined &&
    !facts.needs.some((need) => REPAIRS.includes(need)) &&
    !isPossiblyUnsigned(message, target) &&
    !mayHold(raw, refusedFields);
  const bound = isBound && elsewhere === undefined && isPrefixBound(target);
  const role = facts.role === 'assistant' || facts.role === 'tool' ? facts.role : 'user';
  const repaired = isFine ? asItIs(message) : repair(message, target, elsewhere);
  if (!repaired) return [];
  const unit: Unit = { role, ...repaired };
  return [bound ? { ...unit, bound } : unit];
}

type Repaired = Pick<Unit, 'text' | 'pieces' | 'calls' | 'results' | 'losses'>;

const NONE: readonly LossNote[] = [];

function asItIs({ raw, facts: { calls, results } }: Message): Repaired {
  return { text: raw, pieces: [{ start: 0, end: raw.length }], calls, results, losses: NONE };
}

/** Models that sign always sign the first call: their messages need no look (`sig-missing`). */
function isPossiblyUnsigned({ facts, origin }: Message, target: Target): boolean {
  if (facts.calls.length === 0 || !isSignatureRequired(target)) return false;
  const isSigned = origin.model !== undefined && isSignatureRequired(target, origin.model);
  return !(isSigned && facts.needs.includes('bound'));
}

/** Undefined when nothing is left. */
function repair(message: Message, target: Target, elsewhere: LossReason | undefined): Repaired | undefined {
  const { raw, facts } = message;
  const content = readContent(raw);
  const calls = callsIn(raw, content.parts);
  const losses: LossNote[] = [];
  const kept = calls.filter((call) => !call.cut);
  const signed = isSignatureRequired(target) ? kept[0] : undefined;
  const context = { raw, parts: content.parts, calls, signed, elsewhere, target, losses };
  const repairs = content.parts.map((part, index) => repairPart(part, index, context));
  if (!repairs.some((text) => text !== undefined)) return undefined;
  const edits = [...partEdits(raw, content, repairs), ...refusedMembers(raw, target, losses)];
  const responses = content.parts.flatMap((part, index) => (isResponse(part) ? [repairs[index] !== undefined] : []));
  return {
    text: splice(raw, edits),
    pieces: pieces(raw, edits),
    calls: facts.calls.filter((_, index) => !calls[index]?.cut),
    results: facts.results.filter((_, index) => responses[index]),
    losses,
  };
}

function isResponse({ value }: Part): boolean {
  return isObject(value) && objectField(value, 'functionResponse') !== undefined;
}

function partEdits(raw: string, { parts }: Content, repairs: readonly (string | undefined)[]): Edit[] {
  const changed = parts.flatMap(({ start, end }, index) => {
    const text = repairs[index];
    return text === undefined || text === raw.slice(start, end) ? [] : [{ start, end, text }];
  });
  return [...removals(parts, (index) => repairs[index] === undefined), ...changed];
}

/** Refused members of the content itself; those of its parts go with the parts. */
function refusedMembers(raw: string, target: Target, losses: LossNote[]): Edit[] {
  const names = target.provider.policies.refusedFields.filter((path) => !path.includes('.'));
  const edits = withoutMembers(raw, raw.indexOf('{'), (name) => names.includes(name));
  if (edits.length > 0) losses.push(rewritten('', 'refused-field', 'a field that the provider refuses was left out'));
  return edits;
}
