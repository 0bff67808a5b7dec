import { type Edit, pieces, skipSpace, splice } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import { mayHold } from '../write/refused.ts';
import type { Target, Unit } from '../write/writer.ts';
import { type Repair, repair } from './repair.ts';
import { needsCiphertext } from './storage.ts';

/** A message of this API: its text as it came, parsed only where something may have to be left out. */
export function spliceMessage(
  message: Message,
  target: Target,
  { dropBound }: { readonly dropBound: boolean },
): readonly Unit[] {
  const { raw, facts } = message;
  const isBound = facts.needs.includes('bound');
  const asIs: Repair = { edits: [], losses: [], calls: facts.calls, isBound };
  const repaired = isSendable(message, target, dropBound) ? asIs : repair(message, target, dropBound);
  if (!repaired) return [];
  const edits = [...outside(raw), ...repaired.edits];
  return [
    {
      role: facts.role === 'other' ? 'user' : facts.role,
      text: splice(raw, edits),
      pieces: pieces(raw, edits),
      calls: repaired.calls,
      // The calls of computers are not among the calls that results are matched with.
      results: raw.includes('"computer_call_output"') ? [] : facts.results,
      losses: repaired.losses,
      ...(repaired.isBound && isPrefixBound(target) && { bound: true }),
    },
  ];
}

function isSendable(message: Message, target: Target, dropBound: boolean): boolean {
  const { raw, facts } = message;
  if (facts.needs.some((need) => need !== 'bound' && need !== 'surrogate')) return false;
  if (target.provider.policies.refusedFields.some((field) => mayHold(raw, field))) return false;
  if (!facts.needs.includes('bound')) return true;
  return !boundElsewhere(message, target, dropBound) && (!needsCiphertext(target) || isSealed(raw));
}

/** Whether every reasoning item has its ciphertext, by counting. In doubt no: then the items are looked at. */
function isSealed(raw: string): boolean {
  const count = (pattern: RegExp): number => raw.match(pattern)?.length ?? 0;
  return !raw.includes('"compaction"') && count(/"reasoning"/g) === count(/"encrypted_content"\s*:\s*"/g);
}

/** The items of a turn go without its brackets. */
function outside(raw: string): Edit[] {
  const open = skipSpace(raw, 0);
  if (raw[open] !== '[') return [];
  return [
    { start: 0, end: open + 1, text: '' },
    { start: raw.lastIndexOf(']'), end: raw.length, text: '' },
  ];
}
