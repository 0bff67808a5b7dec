import {
  Changes,
  type Edit,
  elementTexts,
  findMembers,
  isObject,
  isText,
  type Path,
  parseJson,
  pieces,
  skipSpace,
  splice,
  textAt,
} from '../../json/index.ts';
import { type CallRef, callRef, type Message, type Need } from '../../message/index.ts';
import { dropped, type LossNote, type LossReason, rewritten } from '../loss.ts';
import { hashNext } from '../manifest.ts';
import { forModel, type Policies } from '../provider.ts';
import {
  draftOwn,
  isMisnamed,
  isOwn,
  locateAt,
  mergeRun,
  type PlacedDraft,
  placeAt,
  type RequestJob,
  toElement,
} from './drafts.ts';
import type { CallLookup, Draft, RequestWriter, Target } from './writer.ts';

// Opaque reasoning is bound to its model, its account, the provider behind a router, or the prefix it was made with.

/**
 * Drops reasoning that is bound to another prefix than the one it would stand behind now (`prefix-binding`). What
 * follows is checked against the prefix without it.
 */
export function dropReasoningBoundElsewhere(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  if (!isPrefixBound(job.target)) return drafts;
  const { messages, cache, lost } = job;
  const kept: PlacedDraft[] = [];
  let prefix = job.prefix();
  for (const draft of drafts) {
    const rest = draft.from ? splitBound(draft, draft.from, prefix, job) : dropBound(draft, prefix, job);
    if (rest.length === 0) lost.push(...locateAt(draft, dropped('', 'prefix-bound')));
    for (const one of rest) {
      if (!one.text) {
        lost.push(...one.losses);
        continue;
      }
      kept.push(one);
      prefix = hashNext(prefix, toElement(one, cache), messages, cache);
    }
  }
  return kept;
}

function dropBound(draft: PlacedDraft, prefix: string, job: RequestJob): readonly PlacedDraft[] {
  return needsOtherPrefix(draft, prefix) ? withoutBound(draft, job) : [draft];
}

/** Of turns that became one, only the first may stand behind the prefix that its reasoning was made with. */
function splitBound(
  draft: PlacedDraft,
  from: readonly PlacedDraft[],
  prefix: string,
  job: RequestJob,
): readonly PlacedDraft[] {
  const isElsewhere = (one: PlacedDraft, at: number): boolean =>
    at === 0 ? needsOtherPrefix(one, prefix) : one.bound === true;
  if (!from.some(isElsewhere)) return [draft];
  const rest = from.flatMap((one, at) => (isElsewhere(one, at) ? withoutBound(one, job) : [one]));
  return mergeRun(rest, draft.role, job);
}

function needsOtherPrefix({ bound, message }: PlacedDraft, prefix: string): boolean {
  return bound === true && (message?.origin.prefix ?? prefix) !== prefix;
}

function withoutBound({ of, message }: PlacedDraft, job: RequestJob): PlacedDraft[] {
  const index = of[0]!;
  return draftOwn(message!, index, job, true).map((draft) => placeAt(draft, index, message));
}

/** Whether opaque reasoning for this target must stand behind the prefix that it was made with. */
function isPrefixBound(target: Target): boolean {
  return boundTo(target).includes('prefix');
}

/** What opaque reasoning for this target is bound to. */
function boundTo({ provider, model }: Target): Policies['reasoningBoundTo']['default'] {
  return forModel(provider.policies.reasoningBoundTo, model);
}

/** Why a message's opaque reasoning may not be sent to this target, or undefined if it may. */
function findBindingLoss(message: Message, target: Target, dropBound: boolean): LossReason | undefined {
  if (dropBound) return 'prefix-bound';
  const { policies } = target.provider;
  const bounds = boundTo(target);
  const { model, requestedModel, account, upstream } = message.origin;
  const names = [model, requestedModel].filter((name) => name !== undefined);
  const isItsModel = (name: string): boolean => modelFamily(name, policies) === modelFamily(target.model, policies);
  if (bounds.includes('model') && names.length > 0 && !names.some(isItsModel)) return 'model-bound';
  if (bounds.includes('account') && differ(account, target.account)) return 'account-bound';
  if (bounds.includes('upstream') && differ(upstream && upstreamName(upstream, policies), target.upstream))
    return 'upstream-bound';
  return undefined;
}

/** Whether two names are both known and differ. */
function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/**
 * The name by which to request the provider behind a router: the one that `routing` names, otherwise the one that wrote
 * the last opaque reasoning, because no other can read it.
 */
export function findUpstream(
  messages: readonly Message[],
  target: Target,
  routing: string | undefined,
): string | undefined {
  const { policies } = target.provider;
  if (!boundTo(target).includes('upstream')) return undefined;
  const writer = messages.findLast(
    (message) => message.origin.upstream && isOwn(message, target) && message.facts.needs.includes('bound'),
  )?.origin.upstream;
  const last = writer && upstreamName(writer, policies);
  const value = routing === undefined ? undefined : parseJson(routing);
  const { only, order = [] } = isObject(value) ? value : {};
  const named = [only ?? order].flat().filter(isText);
  const asked = named.map((name) => upstreamName(name, policies));
  return asked.length === 0 || (last && asked.includes(last)) ? last : asked[0];
}

/** Routers report display names (`Google AI Studio`) but are asked for slugs (`google-ai-studio`). */
function upstreamName(name: string, { upstreams }: Policies): string {
  return upstreams?.[name] ?? name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** The name that all names of a model share: without date, `latest` and path, and with aliases resolved. */
function modelFamily(model: string, { modelAliases }: Policies): string {
  const plain = model
    .slice(model.lastIndexOf('/') + 1)
    .replace(/[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
    .toLowerCase();
  return modelAliases?.reduce((name, [pattern, known]) => name.replace(new RegExp(pattern), known), plain) ?? plain;
}

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
  return (message, target, { dropBound = false } = {}) => {
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

/** The calls of the parts that are kept; `reasons` says of each of its blocks why it is dropped, if so. */
export function keptCalls({ content }: Message, reasons: readonly (LossReason | undefined)[]): readonly CallRef[] {
  return content.flatMap((block, index) => (block.type === 'tool-use' && !reasons[index] ? [callRef(block)] : []));
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
  readonly splice: RequestWriter['splice'];
  isResult(part: unknown): boolean;
  userMessage(parts: readonly string[]): string;
  textPart(json: string): string;
}

/**
 * Splits an own user message into one draft for each tool result and one for the rest, with every part in its exact text;
 * undefined if it is not the issuer's own, has other members, or names its calls in a way that they no longer have.
 */
export function splitOwn(
  message: Message,
  target: Target,
  calls: CallLookup,
  format: PartListFormat,
): readonly Draft[] | undefined {
  const isMoved = message.facts.results.some((id) => isMisnamed(id, calls.find(id)));
  if (isMoved || !isOwn(message, target)) return undefined;
  const [whole] = format.splice(message, target) as [Draft];
  const parts = readParts(whole, format);
  if (!parts) return undefined;
  const ids = whole.results.map((id) => calls.find(id)?.id ?? id);
  const { results, others } = sortParts(parts, format);
  const split = results.map((part, index) => makeDraft('tool', [part], [ids[index]!], format));
  if (others.length > 0) split.push(makeDraft('user', others, [], format));
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
  return makeDraft(role, [...results, ...others], ids, format);
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
  const value = textAt(text, [list])!;
  if (value.startsWith('"')) return [textPart(value)];
  return value.startsWith('[') ? elementTexts(value) : undefined;
}
