import { Changes, type Edit, type Path, pieces, splice } from '../../json/index.ts';
import type { Message, Need } from '../../message/index.ts';
import type { LossNote, LossReason } from '../loss.ts';
import { boundElsewhere, isPrefixBound } from './bound.ts';
import { dropped, rewritten } from './notes.ts';
import { fieldsIn, pathText } from './refused.ts';
import type { RequestWriter, Target, Unit } from './writer.ts';

/** An own message while it is made one that is taken back. */
export interface Repair {
  readonly message: Message;
  readonly target: Target;
  /** Why its bound parts may not be sent, if they may not. */
  readonly elsewhere: LossReason | undefined;
  readonly changes: Changes;
  readonly losses: LossNote[];
  drop(path: Path, reason: LossReason): void;
}

/** What one protocol asks of its own messages. */
export interface OwnRules {
  /** Where a client's cache markers stand, by patterns like those of refused fields. */
  readonly markers?: readonly string[];
  /** Fields that are refused besides those that the descriptor names. */
  refused?(target: Target): readonly string[];
  /** Whether a message has to be looked at though its needs do not say so. */
  isDoubtful?(message: Message, target: Target): boolean;
  /** Makes the changes; says what calls and results are left, undefined when there is nothing to send. */
  repair(repair: Repair): Partial<Pick<Unit, 'calls' | 'results'>> | undefined;
  /** What of the text does not belong to the element. */
  outside?(raw: string): readonly Edit[];
}

/** Needs that ask nothing of a text by themselves: others see to bounds, to characters and to the order of results. */
const AS_IS: ReadonlySet<Need> = /* @__PURE__ */ new Set<Need>(['bound', 'mixed', 'surrogate']);

/** A message for its own issuer: the exact text, unless something in it is known to be refused. */
export function splicer(rules: OwnRules): RequestWriter['splice'] {
  return (message, target, { dropBound }) => {
    const { raw, facts } = message;
    const { role, calls, results, needs } = facts;
    const isBound = needs.includes('bound');
    const elsewhere = isBound ? boundElsewhere(message, target, dropBound) : undefined;
    const changes = new Changes();
    const losses: LossNote[] = [];
    const drop = (path: Path, reason: LossReason, note = dropped): void => {
      changes.set(path);
      losses.push(note(pathText(path), reason));
    };
    for (const path of fieldsIn(raw, [...target.provider.policies.refusedFields, ...(rules.refused?.(target) ?? [])]))
      drop(path, 'refused-field');
    const isFine = !elsewhere && needs.every((need) => AS_IS.has(need)) && !rules.isDoubtful?.(message, target);
    if (!isFine) for (const path of fieldsIn(raw, rules.markers ?? [])) drop(path, 'cache-marker', rewritten);
    const left = isFine ? {} : rules.repair({ message, target, elsewhere, changes, losses, drop });
    if (!left) return [];
    const edits = [...(rules.outside?.(raw) ?? []), ...changes.edits(raw)];
    return [
      {
        role: role === 'other' ? 'user' : role,
        text: splice(raw, edits),
        pieces: pieces(raw, edits),
        calls,
        results,
        ...(isBound && !elsewhere && isPrefixBound(target) && { bound: true }),
        losses,
        ...left,
      },
    ];
  };
}
