import {
  Changes,
  type Edit,
  elementTexts,
  findMembers,
  isObject,
  type Path,
  parseJson,
  pieces,
  splice,
  textAt,
} from '../../json/index.ts';
import type { Message, Need } from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten } from '../loss.ts';
import { findBindingLoss, isPrefixBound } from './bound-reasoning.ts';
import type { CallLookup, Draft, RequestWriter, Target } from './writer.ts';

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
  repair(repair: Repair): Partial<Pick<Draft, 'calls' | 'results'>> | undefined;
  /** What of the text does not belong to the element. */
  outside?(raw: string): readonly Edit[];
}

/** Needs that ask nothing of a text by themselves: others see to bounds, to characters and to the order of results. */
const AS_IS: ReadonlySet<Need> = /* @__PURE__ */ new Set<Need>(['bound', 'mixed', 'surrogate']);

/** A message for its own issuer: the exact text, unless something in it is known to be refused. */
export function makeSplicer(rules: OwnRules): RequestWriter['splice'] {
  return (message, target, { dropBound }) => {
    const { raw, facts } = message;
    const { role, calls, results, needs } = facts;
    const isBound = needs.includes('bound');
    const elsewhere = isBound ? findBindingLoss(message, target, dropBound) : undefined;
    const changes = new Changes();
    const losses: LossNote[] = [];
    const drop = (path: Path, reason: LossReason, note = dropped): void => {
      changes.set(path);
      losses.push(note(formatPath(path), reason));
    };
    for (const path of findFields(raw, [...target.provider.policies.refusedFields, ...(rules.refused?.(target) ?? [])]))
      drop(path, 'refused-field');
    const isFine = !elsewhere && needs.every((need) => AS_IS.has(need)) && !rules.isDoubtful?.(message, target);
    if (!isFine) for (const path of findFields(raw, rules.markers ?? [])) drop(path, 'cache-marker', rewritten);
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

/** Where the fields of an own message stand that patterns like those of refused fields name. Most texts hold none. */
function findFields(raw: string, patterns: readonly string[]): readonly Path[] {
  const suspects = patterns.map((pattern) => pattern.split('.')).filter((steps) => mayHold(raw, steps));
  if (suspects.length === 0) return [];
  const value = parseJson(raw);
  // A turn of several items is looked at item by item.
  return suspects.flatMap((steps) => pathsTo(value, Array.isArray(value) ? ['*', ...steps] : steps));
}

/** Whether a text can hold such a field; looks at nothing but its names, the rarest first. */
function mayHold(raw: string, steps: readonly string[]): boolean {
  return !steps.findLast((step) => step !== '*' && !raw.includes(`"${step}"`));
}

function pathsTo(value: unknown, [step, ...more]: readonly string[], path: Path = []): Path[] {
  if (step === undefined) return [path];
  if (step === '*')
    return Array.isArray(value) ? value.flatMap((item, index) => pathsTo(item, more, [...path, index])) : [];
  return isObject(value) && Object.hasOwn(value, step) ? pathsTo(value[step], more, [...path, step]) : [];
}

/** `['content', 0, 'a']` as `content[0].a`. */
export function formatPath(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** A protocol whose messages are lists of parts, where tool results may stand beside other parts. */
export interface PartListFormat {
  /** The member that holds the parts. */
  readonly list: string;
  isResult(part: unknown): boolean;
  userMessage(parts: readonly string[]): string;
  textPart(json: string): string;
}

/** A user message of the protocol in parts: each tool result, then the rest, every part in its own text. */
export function splitParts(units: readonly Draft[], calls: CallLookup, forms: PartListFormat): readonly Draft[] {
  const [whole] = units;
  const parts = whole && sorted(partsOf(whole, forms) ?? [], forms);
  const ids = whole?.results.map((id) => calls.find(id)?.id ?? id) ?? [];
  if (!parts || parts.results.length + parts.others.length < 2) return units.map((unit) => ({ ...unit, results: ids }));
  const exploded = parts.results.map((part, index) => unitOf('tool', [part], [ids[index]!], forms));
  if (parts.others.length > 0) exploded.push(unitOf('user', parts.others, [], forms));
  return exploded.map((unit, index) => (index === 0 ? { ...unit, losses: whole.losses } : unit));
}

/** User and tool units as one message, results first; undefined for other roles and where a message says more. */
export function mergeParts(units: readonly Draft[], forms: PartListFormat): Draft | undefined {
  const parts = units.map((unit) => partsOf(unit, forms));
  const isUsers = units.every(({ role }) => role === 'user' || role === 'tool');
  if (!isUsers || !parts.every((list) => list !== undefined)) return undefined;
  const { results, others } = sorted(parts.flat(), forms);
  const role = units.every((unit) => unit.role === 'tool') ? 'tool' : 'user';
  const ids = units.flatMap((unit) => unit.results);
  return { ...unitOf(role, [...results, ...others], ids, forms), losses: units.flatMap((unit) => unit.losses) };
}

function unitOf(
  role: 'tool' | 'user',
  parts: readonly string[],
  results: readonly string[],
  { userMessage }: PartListFormat,
): Draft {
  return { role, text: userMessage(parts), calls: [], results, parts, losses: [] };
}

function sorted(parts: readonly string[], { isResult }: PartListFormat): { results: string[]; others: string[] } {
  const found = parts.map((part) => isResult(parseJson(part)));
  return { results: parts.filter((_, index) => found[index]), others: parts.filter((_, index) => !found[index]) };
}

/** Own texts are taken apart only here, where they are needed in parts. */
function partsOf({ text, parts }: Draft, { list, textPart }: PartListFormat): readonly string[] | undefined {
  if (parts) return parts;
  if (!findMembers(text).every(({ name }) => name === list || name === 'role')) return undefined;
  const value = textAt(text, [list]);
  if (value?.startsWith('"')) return [textPart(value)];
  return value?.startsWith('[') ? elementTexts(value) : undefined;
}
