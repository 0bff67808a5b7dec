import { digest, findLoneSurrogates, splice } from '../../json/index.ts';
import { BLOCKS_ORIGIN, type CallRef, createMessage, type Message, type Role } from '../../message/index.ts';
import { dropped, type Loss, type LossNote, rewritten } from '../loss.ts';
import type { Element, Manifest } from '../manifest.ts';
import type { Policies } from '../provider.ts';
import { isSameTarget, type SettledStart, type WriteCache } from './reuse.ts';
import type { CallLookup, CallMatch, Draft, RequestWriter, Target } from './writer.ts';

/** Finds no call. */
export const NO_CALLS: CallLookup = { find: () => undefined };

const BY_NAME = /^skn_fn_\d+_(.*)/s;

/** Whether a result must be written anew to name its call: naming it by function works only for calls of the same issuer. */
export function isMisnamed(id: string, call: CallMatch | undefined): boolean {
  return call !== undefined && call.id !== id && !(call.isOwn && BY_NAME.test(id));
}

/** Follows the calls of a history, message by message, to find the call that each result answers. */
export class CallTracker {
  readonly #byId = new Map<string, CallMatch>();
  /** The tracker of the messages before, which must not go on while this one is used. */
  readonly #earlier: CallTracker | undefined;
  /** The calls since the last assistant turn began, for results without an id. */
  #open: CallMatch[] = [];
  #answering = false;

  constructor(earlier?: CallTracker) {
    this.#earlier = earlier;
    if (!earlier) return;
    this.#open = [...earlier.#open];
    this.#answering = earlier.#answering;
  }

  /** Remembers the calls of a message, then finds those that its results answer: an answer may have the results of its own. */
  next({ facts: { calls, results }, origin: { dialect } }: Message, isOwn: boolean): CallLookup {
    if (calls.length > 0 && this.#answering) {
      this.#open = [];
      this.#answering = false;
    }
    for (const ref of calls) {
      const call = { ...ref, isOwn, dialect };
      this.#byId.set(call.id, call);
      this.#open.push(call);
    }
    return results.length > 0 ? this.#answered(results, dialect) : NO_CALLS;
  }

  #answered(results: readonly string[], dialect: string): CallLookup {
    const found = results.map((id) => this.#findById(id) ?? this.#takeOpen(id, dialect));
    this.#open = this.#open.filter((call) => !found.includes(call));
    this.#answering = true;
    return { find: (id) => found[results.indexOf(id)] };
  }

  #findById(id: string): CallMatch | undefined {
    return this.#byId.get(id) ?? (this.#earlier ? this.#earlier.#byId.get(id) : undefined);
  }

  /**
   * Matches by name. If the call came without an id, an id that the client made up can only mean the next such call; in
   * another dialect it means a call that is not here.
   */
  #takeOpen(id: string, dialect: string): CallMatch | undefined {
    const name = BY_NAME.exec(id)?.[1];
    const index = this.#open.findIndex((call) =>
      name === undefined
        ? call.id.startsWith(VIEW_ID) && (dialect === BLOCKS_ORIGIN.dialect || call.dialect === dialect)
        : call.name === name,
    );
    return index < 0 ? undefined : this.#open.splice(index, 1)[0];
  }
}

/** The start of the ids that only the view gives to calls without one. */
export const VIEW_ID = 'skn_';

/** The id of a call that came without one, derived from the message's text. */
export function viewId(raw: string, index: number): string {
  return `${VIEW_ID}${digest(raw).slice(0, 12)}_${index}`;
}

/** The id of a call in a form that the target takes: unchanged, or derived, the same for the call and its result. */
export function targetToolId(
  id: string,
  policies: Pick<Policies, 'toolIds'>,
  path: string,
  losses: LossNote[],
): string {
  if (fits(id, policies.toolIds)) return id;
  const plain = `call_${digest(id).slice(0, 24)}`;
  // Some targets take only letters and digits, in a fixed length.
  const made = fits(plain, policies.toolIds) ? plain : digest(id).slice(0, policies.toolIds.maxLength);
  losses.push(rewritten(path, 'tool-id', `${id} -> ${made}`));
  return made;
}

/**
 * The name of a tool in a form that the target takes: unchanged, or derived, always the same for the same name.
 *
 * @example
 * targetToolName('files.read', provider.policies, 'tools[0]', losses); // 'files_read_1c2d3e'
 */
export function targetToolName(name: string, policies: Policies, path: string, losses: LossNote[]): string {
  const { toolNames } = policies;
  if (fits(name, toolNames)) return name;
  // The digest keeps names distinct that differ only in refused characters.
  const base = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, toolNames.maxLength - 8);
  const plain = `${base}_${digest(name).slice(0, 6)}`;
  // Some protocols require a letter or an underscore first.
  const made = fits(plain, toolNames) ? plain : `_${plain}`;
  losses.push(rewritten(path, 'tool-name', `${name} -> ${made}`));
  return made;
}

function fits(value: string, rule: { readonly pattern: string; readonly maxLength: number }): boolean {
  return value.length <= rule.maxLength && new RegExp(rule.pattern).test(value);
}

/** One request while it is written. */
export interface RequestJob {
  readonly writer: RequestWriter;
  readonly target: Target;
  readonly messages: readonly Message[];
  readonly cache: WriteCache;
  /** How many system messages at the front are sent as system text, and not as elements. */
  readonly leading: number;
  /** The previous request of this branch, if everything that it sent is sent again as it was. */
  readonly previous: Manifest | undefined;
  /** The settled start of an earlier request, if this one begins in the same way. */
  readonly begun: SettledStart | undefined;
  /** The index of the message up to which this request will be settled, if there is one. */
  readonly boundary: number | undefined;
  /** The elements before the drafts: those of an earlier request, or those that the protocol puts first. */
  readonly earlier: readonly Element[];
  /** Computes the prefix hash behind these elements. */
  readonly prefix: () => string;
  /** The prefix hash of system and tools. */
  readonly start: string;
  /** Whether the body continues calls that the provider stores, so that results may stand without their calls. */
  readonly continues: boolean;
  /** Whether the API goes on with the reply at the end, so that nothing is put behind it. */
  readonly continuesReply: boolean;
  /** Ids of calls without a result that waited for an approval. */
  readonly unapproved: readonly string[];
  /** The calls that a message's results answer, by the index of the message. */
  readonly calls: Map<number, CallLookup>;
  /** The calls of the messages up to the boundary. */
  readonly tracker: CallTracker;
  /** The digests of the messages up to the boundary, if the target refuses repeats. */
  readonly seen: Set<string>;
  /** The losses of messages of which nothing is left to send. Each pass has a list of its own. */
  readonly lost: Loss[];
}

/** A draft together with the messages that it stands for. */
export interface PlacedDraft extends Draft {
  /** Indexes of its messages; none if it was synthesised. */
  readonly of: readonly number[];
  /** The message whose raw text `pieces` refers to, if there is one. */
  readonly message?: Message | undefined;
  readonly losses: readonly Loss[];
  /** The turns that became this one. */
  readonly from?: readonly PlacedDraft[];
}

/** All placed drafts have the same members in the same order, because engines read such objects several times faster. */
export function placeDraft(
  { role, text, pieces, calls, results, bound, parts }: Draft,
  of: readonly number[],
  losses: readonly Loss[],
  message?: Message,
): PlacedDraft {
  return { role, text, pieces, calls, results, bound, parts, of, losses, message };
}

/** A draft of the message at an index. */
export function placeAt(draft: Draft, index: number, message?: Message): PlacedDraft {
  return placeDraft(
    draft,
    [index],
    draft.losses.map((note) => locate(note, index)),
    message,
  );
}

/** A draft that takes the place of another one, with the losses that this causes. */
export function replaceDraft(placed: PlacedDraft, draft: Draft, ...notes: readonly LossNote[]): PlacedDraft {
  return placeDraft(draft, placed.of, [...placed.losses, ...locateAt(placed, ...notes)]);
}

/** A draft that stands for no message. Its note concerns the message at `index`, or the request as a whole. */
export function synthesiseDraft(draft: Draft, note: LossNote, index = -1): PlacedDraft {
  return placeDraft(draft, [], [locate(note, index)]);
}

export function locate(note: LossNote, message: number): Loss {
  return { ...note, message };
}

/** Losses of the first message that a draft stands for. */
export function locateAt({ of }: PlacedDraft, ...notes: readonly LossNote[]): Loss[] {
  return notes.map((note) => locate(note, of[0] ?? -1));
}

/** Whether a request to this target may carry the message's own text. */
export function isOwn({ origin: { dialect, issuer } }: Message, { provider }: Target): boolean {
  return dialect === provider.dialect && issuer === provider.issuer;
}

/**
 * Drafts the messages that no earlier request settled. Without a settled start, calls are read back to the start of the
 * turn that the previous request left open.
 */
export function draftMessages(job: RequestJob): readonly PlacedDraft[] {
  const { writer, target, messages, leading, previous, begun, boundary, calls, lost } = job;
  const first = begun?.count ?? Math.max(leading, previous?.messages.length ?? 0);
  const drafts: PlacedDraft[] = [];
  let { tracker, seen } = job;
  const isRepeat = (digest: string): boolean => job.seen.has(digest) || seen.has(digest);
  const from = begun?.count ?? findTurnStart(messages, first);
  // Not a loop: V8 would compile this function once more, with all that it calls, for the request after a long one.
  messages.slice(from).forEach((message, at) => {
    const index = from + at;
    const { facts } = message;
    if (index === boundary) {
      tracker = new CallTracker(tracker);
      seen = new Set();
    }
    const answered = tracker.next(message, isOwn(message, target));
    if (facts.results.length > 0) calls.set(index, answered);
    const isRepeated = writer.refusesRepeats === true && isRepeat(facts.digest);
    if (writer.refusesRepeats) seen.add(facts.digest);
    if (index < first) return;
    const found = draftMessage(message, index, isRepeated, job);
    if (found.length === 0) lost.push(locate(dropped('', facts.needs.includes('cut') ? 'cut' : 'empty'), index));
    // A draft without text only carries the reasons why there is nothing to send.
    for (const draft of found) {
      if (draft.text) drafts.push(draft);
      else lost.push(...draft.losses);
    }
  });
  return drafts;
}

/** The start of the turn that continues at an index. Calls of earlier turns are closed, whatever answers them later. */
function findTurnStart(messages: readonly Message[], first: number): number {
  let index = first;
  while (index > 0 && messages[index]?.role !== 'user') index--;
  return index;
}

/** The drafts of one message, and everything besides the message that they depend on. */
export interface MessageDrafts {
  readonly index: number;
  readonly isRepeated: boolean;
  readonly target: Target;
  readonly answered: readonly (CallRef | undefined)[];
  readonly drafts: readonly PlacedDraft[];
}

/** Drafts one message: its own text, or a translation. A repeated message is translated where the target refuses repeats. */
function draftMessage(message: Message, index: number, isRepeated: boolean, job: RequestJob): readonly PlacedDraft[] {
  const { target, cache } = job;
  const { find } = job.calls.get(index) ?? NO_CALLS;
  const known = cache.drafts.get(message);
  const { results } = message.facts;
  if (
    known &&
    known.index === index &&
    known.isRepeated === isRepeated &&
    isSameTarget(known.target, target) &&
    known.answered.every((call, at) => isSameCall(call, find(results[at]!)))
  )
    return known.drafts;
  const isNative = isOwn(message, target) && !isRepeated;
  const misnamed = isNative ? results.filter((id) => isMisnamed(id, find(id))) : [];
  const written =
    isNative && misnamed.length === 0
      ? draftOwn(message, index, job, false)
      : draftTranslation(withUniqueIds(message), { find }, job);
  const renamed = misnamed.map((id) => rewritten('', 'tool-id', `${id} -> ${find(id)!.id}`));
  const drafts = written.map((draft, at) =>
    placeAt(at > 0 ? draft : { ...draft, losses: [...draft.losses, ...renamed] }, index, message),
  );
  cache.drafts.set(message, { index, isRepeated, target, answered: results.map(find), drafts });
  return drafts;
}

function isSameCall(a: CallRef | undefined, b: CallRef | undefined): boolean {
  return a?.id === b?.id && a?.name === b?.name;
}

/** Gives calls of one message that share an id ids of their own (`tool-id-unique`), in a form that every target replaces. */
function withUniqueIds(message: Message): Message {
  const { calls, needs } = message.facts;
  if (calls.length < 2 || new Set(calls.map(({ id }) => id)).size === calls.length) return message;
  const counts = new Map<string, number>();
  const content = message.content.map((block) => {
    if (block.type !== 'tool-use') return block;
    const count = (counts.get(block.id) ?? 0) + 1;
    counts.set(block.id, count);
    return count === 1 ? block : { ...block, id: `${block.id} ${count}` };
  });
  return createMessage(message.raw, message.origin, () => ({ role: message.role, content, needs }));
}

/** A message written from its blocks. */
export function draftTranslation(
  message: Message,
  calls: CallLookup,
  { writer, target }: RequestJob,
): readonly Draft[] {
  return writer.translate(message, target, calls).map(replaceSurrogates);
}

/** A message of the target's own, in its exact text. With `dropBound`, its bound parts are left out. */
export function draftOwn(message: Message, index: number, job: RequestJob, dropBound: boolean): readonly Draft[] {
  const { find } = job.calls.get(index) ?? NO_CALLS;
  const currentId = (id: string): string => find(id)?.id ?? id;
  const isRenamed = message.facts.results.some((id) => currentId(id) !== id);
  return job.writer.splice(message, job.target, { dropBound }).map((written) => {
    const draft = replaceSurrogates(written);
    return isRenamed ? { ...draft, results: draft.results.map(currentId) } : draft;
  });
}

/** Providers refuse lone surrogates anywhere, even in text that they wrote themselves (`surrogate`). */
function replaceSurrogates(draft: Draft): Draft {
  const edits = findLoneSurrogates(draft.text);
  if (edits.length === 0) return draft;
  return {
    ...draft,
    text: splice(draft.text, edits),
    pieces: undefined,
    parts: draft.parts?.map((part) => splice(part, findLoneSurrogates(part))),
    losses: [...draft.losses, rewritten('', 'surrogate')],
  };
}

export interface MergedDrafts {
  readonly from: readonly PlacedDraft[];
  readonly to: readonly PlacedDraft[];
}

/** Merges drafts of one role into one, if the protocol can; otherwise returns them as they are. */
export function mergeDrafts(drafts: readonly PlacedDraft[], { writer, cache }: RequestJob): readonly PlacedDraft[] {
  const [first] = drafts;
  if (!first || drafts.length < 2) return drafts;
  const known = cache.merged.get(first);
  if (known && known.from.length === drafts.length && known.from.every((draft, at) => draft === drafts[at]))
    return known.to;
  const merged = writer.merge(drafts);
  const of = drafts.flatMap((draft) => draft.of);
  const losses = drafts.flatMap((draft) => draft.losses);
  const to = merged ? [placeDraft(merged, of, losses)] : drafts;
  cache.merged.set(first, { from: drafts, to });
  return to;
}

/** Merges a run of one role into one turn, and notes it; the run as it is, if the protocol cannot. */
export function mergeRun(run: readonly PlacedDraft[], role: Role, job: RequestJob): readonly PlacedDraft[] {
  const [one, ...more] = mergeDrafts(run, job);
  if (!one || run.length < 2 || more.length > 0) return run;
  const notes = run.slice(1).flatMap((draft) => locateAt(draft, rewritten('', 'merged', role)));
  return [{ ...one, losses: [...one.losses, ...notes], from: run }];
}

/** The run of drafts from `start` on for which a condition holds. */
export function takeRun(
  drafts: readonly PlacedDraft[],
  start: number,
  holds: (draft: PlacedDraft) => boolean,
): readonly PlacedDraft[] {
  let end = start;
  while (end < drafts.length && holds(drafts[end]!)) end++;
  return drafts.slice(start, end);
}

/** A draft as an element of the manifest: ranges of its message's raw text where possible, otherwise new text. */
export function toElement(draft: PlacedDraft, cache: WriteCache): Element {
  const known = cache.elements.get(draft);
  if (known) return known;
  const { of, message: source, pieces, text } = draft;
  const [message] = of;
  const isSliced = source && pieces && message !== undefined;
  const element: Element = {
    of,
    pieces: isSliced ? pieces.map((piece) => (typeof piece === 'string' ? piece : { message, ...piece })) : [text],
  };
  cache.elements.set(draft, element);
  return element;
}
