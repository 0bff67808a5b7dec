import { skipSpace } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import type { Target, Unit } from '../write/writer.ts';
import { needsCiphertext, refusedFields, resultsOf, unitRole } from './own-text.ts';
import { repaired } from './repair.ts';

/** A message of this API: its text as it came, parsed only where something may have to be left out. */
export function spliceMessage(
  message: Message,
  target: Target,
  { dropBound }: { readonly dropBound: boolean },
): readonly Unit[] {
  return isSendable(message, target, dropBound) ? [ownUnit(message, target)] : repaired(message, target, dropBound);
}

function ownUnit(message: Message, target: Target): Unit {
  const { raw } = message;
  const open = skipSpace(raw, 0);
  const range =
    raw[open] === '[' ? { start: open + 1, end: raw.lastIndexOf(']') } : { start: open, end: raw.trimEnd().length };
  const isBound = message.facts.needs.includes('bound') && isPrefixBound(target);
  return {
    role: unitRole(message),
    text: raw.slice(range.start, range.end),
    pieces: [range],
    calls: message.facts.calls,
    results: resultsOf(message),
    losses: [],
    ...(isBound && { bound: true }),
  };
}

function isSendable(message: Message, target: Target, dropBound: boolean): boolean {
  const { needs } = message.facts;
  if (needs.some((need) => need !== 'bound' && need !== 'surrogate')) return false;
  if (refusedFields(message.raw, target.provider).length > 0) return false;
  if (!needs.includes('bound')) return true;
  if (boundElsewhere(message, target, dropBound) !== undefined) return false;
  return !needsCiphertext(target) || isSealed(message.raw);
}

/** Whether every reasoning item has its ciphertext, by counting. In doubt no: then the items are looked at. */
function isSealed(raw: string): boolean {
  const count = (pattern: RegExp): number => raw.match(pattern)?.length ?? 0;
  return !raw.includes('"compaction"') && count(/"reasoning"/g) === count(/"encrypted_content"\s*:\s*"/g);
}
