import { isObject, pieces, splice } from '../../json/index.ts';
import type { CallRef, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import { refusedEdits } from '../write/refused.ts';
import type { Target, Unit } from '../write/writer.ts';
import { repair } from './repair.ts';

const NO_LOSSES: readonly LossNote[] = [];

/** A message of this API: its own text, as untouched as its facts allow. */
export function spliceMessage(message: Message, target: Target, options: { dropBound: boolean }): readonly Unit[] {
  const { facts } = message;
  const isBound = facts.needs.includes('bound');
  const elsewhere = isBound ? boundElsewhere(message, target, options.dropBound) : undefined;
  const losses: LossNote[] = [];
  const refused = refusedEdits(message.raw, target.provider.policies.refusedFields, losses);
  const raw = splice(message.raw, refused);
  const asIs = elsewhere === undefined && facts.needs.every((need) => AS_IS.has(need));
  const repaired = asIs ? undefined : repair(raw, message.origin.cut === true, elsewhere);
  if (repaired?.kept.length === 0) return [];
  const edits = repaired?.edits ?? [];
  const unit: Unit = {
    role: facts.role === 'other' ? 'user' : facts.role,
    text: splice(raw, edits),
    ...(raw === message.raw && { pieces: pieces(raw, edits) }),
    calls: repaired ? callsIn(facts.calls, repaired.kept) : facts.calls,
    results: facts.results,
    ...(isBound && !elsewhere && isPrefixBound(target) && { bound: true }),
    losses: repaired || losses.length > 0 ? [...losses, ...(repaired?.losses ?? NO_LOSSES)] : NO_LOSSES,
  };
  return [unit];
}

/** Needs that ask nothing of a text by themselves: others see to characters and to the order of results. */
const AS_IS: ReadonlySet<string> = new Set(['bound', 'mixed', 'surrogate']);

/** The calls whose blocks are still there. */
function callsIn(calls: readonly CallRef[], kept: readonly unknown[]): readonly CallRef[] {
  const uses = kept.filter(isObject).filter((block) => block.type === 'tool_use');
  return uses.length === calls.length
    ? calls
    : calls.filter((call) => uses.some((block) => block.id === undefined || block.id === call.id));
}
