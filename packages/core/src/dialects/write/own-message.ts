import {
  Changes,
  type Edit,
  elementTexts,
  findMembers,
  isObject,
  type Path,
  parseJson,
  pieces,
  skipSpace,
  splice,
  textAt,
} from '../../json/index.ts';
import type { Message, Need } from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten } from '../loss.ts';
import { findBindingLoss, isPrefixBound } from './bound-reasoning.ts';
import type { CallLookup, Draft, RequestWriter, Target } from './writer.ts';

/** A message of the target's own issuer while it is changed into one that the issuer takes back. */
export interface Repair {
  readonly message: Message;
  readonly target: Target;
  /** Why its bound parts must not be sent, if so. */
  readonly elsewhere: LossReason | undefined;
  readonly changes: Changes;
  readonly losses: LossNote[];
  drop(path: Path, reason: LossReason): void;
}

/** What a protocol requires of its own messages when they come back. */
export interface OwnRules {
  /** Where a client's cache markers are, as patterns like those of refused fields. */
  readonly markers?: readonly string[];
  /** Refused fields besides those that the descriptor names. */
  refused?(target: Target): readonly string[];
  /** Whether a message must be repaired although its needs do not say so. */
  isDoubtful?(message: Message, target: Target): boolean;
  /** Makes the changes. Returns the calls and results that are left, undefined if there is nothing to send. */
  repair(repair: Repair): Partial<Pick<Draft, 'calls' | 'results'>> | undefined;
  /** Edits that remove what is not part of the element. */
  outside?(raw: string): readonly Edit[];
}

/** Needs that require no repair here: bindings, lone surrogates and the order of results are handled elsewhere. */
const AS_IS: ReadonlySet<Need> = /* @__PURE__ */ new Set<Need>(['bound', 'mixed', 'surrogate']);

/** Makes the function that drafts a message for its own issuer: the exact text, changed only where the issuer would refuse it. */
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

/** Edits that remove the brackets around a turn of several items, each of which is an element of its own. */
export function outsideOfList(raw: string): Edit[] {
  const open = skipSpace(raw, 0);
  if (raw[open] !== '[') return [];
  return [
    { start: 0, end: open + 1, text: '' },
    { start: raw.lastIndexOf(']'), end: raw.length, text: '' },
  ];
}

/** The paths of the fields that these patterns name, such as `content.*.cache_control`. Most texts hold none of them. */
function findFields(raw: string, patterns: readonly string[]): readonly Path[] {
  const suspects = patterns.map((pattern) => pattern.split('.')).filter((steps) => mayHold(raw, steps));
  if (suspects.length === 0) return [];
  const value = parseJson(raw);
  // In a turn of several items, the patterns apply to each item.
  return suspects.flatMap((steps) => findPaths(value, Array.isArray(value) ? ['*', ...steps] : steps));
}

/** Whether a text may hold such a field. Only searches for the names, the rarest (the last) first. */
function mayHold(raw: string, steps: readonly string[]): boolean {
  return !steps.findLast((step) => step !== '*' && !raw.includes(`"${step}"`));
}

function findPaths(value: unknown, [step, ...more]: readonly string[], path: Path = []): Path[] {
  if (step === undefined) return [path];
  if (step === '*')
    return Array.isArray(value) ? value.flatMap((item, index) => findPaths(item, more, [...path, index])) : [];
  return isObject(value) && Object.hasOwn(value, step) ? findPaths(value[step], more, [...path, step]) : [];
}

/** Formats a path: `['content', 0, 'a']` becomes `content[0].a`. */
export function formatPath(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** A protocol whose messages are lists of parts, with tool results among other parts. */
export interface PartListFormat {
  /** The name of the member that holds the parts. */
  readonly list: string;
  isResult(part: unknown): boolean;
  userMessage(parts: readonly string[]): string;
  textPart(json: string): string;
}

/** Splits a user message into one draft for each tool result and one for the rest, with every part in its exact text. */
export function splitParts(drafts: readonly Draft[], calls: CallLookup, format: PartListFormat): readonly Draft[] {
  const [whole] = drafts;
  const parts = whole && sortParts(readParts(whole, format) ?? [], format);
  const ids = whole?.results.map((id) => calls.find(id)?.id ?? id) ?? [];
  if (!parts || parts.results.length + parts.others.length < 2)
    return drafts.map((draft) => ({ ...draft, results: ids }));
  const split = parts.results.map((part, index) => makeDraft('tool', [part], [ids[index]!], format));
  if (parts.others.length > 0) split.push(makeDraft('user', parts.others, [], format));
  return split.map((draft, index) => (index === 0 ? { ...draft, losses: whole.losses } : draft));
}

/** Merges user and tool drafts into one message, results first; undefined for other roles, or if a message has other members. */
export function mergeParts(drafts: readonly Draft[], format: PartListFormat): Draft | undefined {
  const parts = drafts.map((draft) => readParts(draft, format));
  const isUsers = drafts.every(({ role }) => role === 'user' || role === 'tool');
  if (!isUsers || !parts.every((list) => list !== undefined)) return undefined;
  const { results, others } = sortParts(parts.flat(), format);
  const role = drafts.every((draft) => draft.role === 'tool') ? 'tool' : 'user';
  const ids = drafts.flatMap((draft) => draft.results);
  return { ...makeDraft(role, [...results, ...others], ids, format), losses: drafts.flatMap((draft) => draft.losses) };
}

function makeDraft(
  role: 'tool' | 'user',
  parts: readonly string[],
  results: readonly string[],
  { userMessage }: PartListFormat,
): Draft {
  return { role, text: userMessage(parts), calls: [], results, parts, losses: [] };
}

function sortParts(parts: readonly string[], { isResult }: PartListFormat): { results: string[]; others: string[] } {
  const found = parts.map((part) => isResult(parseJson(part)));
  return { results: parts.filter((_, index) => found[index]), others: parts.filter((_, index) => !found[index]) };
}

/** The parts of a draft; the exact text of an own message is split only when it is needed. */
function readParts({ text, parts }: Draft, { list, textPart }: PartListFormat): readonly string[] | undefined {
  if (parts) return parts;
  if (!findMembers(text).every(({ name }) => name === list || name === 'role')) return undefined;
  const value = textAt(text, [list]);
  if (value?.startsWith('"')) return [textPart(value)];
  return value?.startsWith('[') ? elementTexts(value) : undefined;
}
