import { Changes, elementTexts, membersOf, parseJson, pieces, splice, textAt } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { boundElsewhere, isPrefixBound } from '../write/bound.ts';
import { dropRefused } from '../write/refused.ts';
import type { CallLookup, Target, Unit } from '../write/writer.ts';
import { field } from './fields.ts';
import { contentText, isSignatureRequired } from './forms.ts';
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

/** A user message of this API in parts: each response, then the rest, every part in its own text. */
export function explodeOwn(message: Message, target: Target, calls: CallLookup): readonly Unit[] {
  const units = spliceMessage(message, target, false);
  const [whole] = units;
  const parts = whole && ownParts(whole.text);
  if (!parts) return units;
  const isResult = parts.map((part) => field(parseJson(part), 'functionResponse') !== undefined);
  const results = parts.filter((_, index) => isResult[index]);
  const others = parts.filter((_, index) => !isResult[index]);
  const exploded = results.map((part, index) => {
    const id = whole.results[index]!;
    return unitOf('tool', [part], [calls.find(id)?.id ?? id]);
  });
  if (others.length > 0) exploded.push(unitOf('user', others, []));
  return exploded.map((unit, index) => (index === 0 ? { ...unit, losses: whole.losses } : unit));
}

/** All results of a turn in one content (`count`); contents of one role in a row count as one anyway. */
export function gather(units: readonly Unit[]): Unit | undefined {
  const role = units[0]?.role;
  const parts = units.map((unit) => unit.parts ?? ownParts(unit.text));
  if ((role !== 'tool' && role !== 'user') || !parts.every((list) => list !== undefined)) return undefined;
  return {
    ...unitOf(
      role,
      parts.flat(),
      units.flatMap((unit) => unit.results),
    ),
    losses: units.flatMap((unit) => unit.losses),
  };
}

function unitOf(role: 'tool' | 'user', parts: readonly string[], results: readonly string[]): Unit {
  return { role, text: contentText('user', parts), calls: [], results, parts, losses: [] };
}

/** The parts of a content; undefined when it says more than role and parts. */
function ownParts(text: string): readonly string[] | undefined {
  const isPlain = membersOf(text).every(({ name }) => name === 'parts' || name === 'role');
  const list = isPlain ? textAt(text, ['parts']) : undefined;
  return list?.startsWith('[') ? elementTexts(list) : undefined;
}
