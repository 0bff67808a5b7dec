import { Changes, pieces, splice } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import { dropRefused } from '../write/refused.ts';
import type { Target, Unit } from '../write/writer.ts';
import { isSignatureRequired } from './forms.ts';
import { repair } from './repair.ts';

/** Needs that mean a change; bound parts change only where they are bound elsewhere. */
const REPAIRS: readonly string[] = ['empty', 'arguments', 'cut'];

/** A message of this protocol and issuer: its own text, changed only where it would be refused. */
export function spliceMessage(message: Message, target: Target, dropBound: boolean): readonly Unit[] {
  const { raw, facts } = message;
  const { role, calls, results, needs } = facts;
  const isBound = needs.includes('bound');
  const elsewhere = isBound ? boundElsewhere(message, target, dropBound) : undefined;
  const losses: LossNote[] = [];
  const changes = new Changes();
  dropRefused(raw, target.provider.policies.refusedFields, changes, losses);
  const signs = isPossiblyUnsigned(message, target);
  const isFine = elsewhere === undefined && !signs && !needs.some((need) => REPAIRS.includes(need));
  const left = isFine ? undefined : repair({ raw, elsewhere, signs: isSignatureRequired(target), changes, losses });
  if (left?.kept === 0) return [];
  const edits = losses.length > 0 ? changes.edits(raw) : [];
  const unit: Unit = {
    role: role === 'assistant' || role === 'tool' ? role : 'user',
    text: splice(raw, edits),
    pieces: pieces(raw, edits),
    calls: left ? calls.filter((_, index) => left.calls[index]) : calls,
    results: left ? results.filter((_, index) => left.results[index]) : results,
    losses,
  };
  return [isBound && elsewhere === undefined && isPrefixBound(target) ? { ...unit, bound: true } : unit];
}

/** Models that sign always sign the first call: their messages need no look (`sig-missing`). */
function isPossiblyUnsigned({ facts, origin }: Message, target: Target): boolean {
  if (facts.calls.length === 0 || !isSignatureRequired(target)) return false;
  const isSigned = origin.model !== undefined && isSignatureRequired(target, origin.model);
  return !(isSigned && facts.needs.includes('bound'));
}
