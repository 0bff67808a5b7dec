import { findLoneSurrogates, splice } from '../../json/index.ts';
import { type CallRef, createMessage, type Message } from '../../message/index.ts';
import { dropped, type Loss, type LossNote, rewritten } from '../loss.ts';
import type { Element, Manifest } from '../manifest.ts';
import { CallTracker, isMisnamed, NO_CALLS } from './calls.ts';
import { isSameTarget, type SettledStart, type WriteCache } from './reuse.ts';
import type { CallLookup, Draft, RequestWriter, Target } from './writer.ts';

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
  for (let index = begun?.count ?? findTurnStart(messages, first); index < messages.length; index++) {
    const message = messages[index]!;
    const { facts } = message;
    if (index === boundary) {
      tracker = new CallTracker(tracker);
      seen = new Set();
    }
    const answered = tracker.next(message, isOwn(message, target));
    if (facts.results.length > 0) calls.set(index, answered);
    const isRepeated = writer.refusesRepeats === true && isRepeat(facts.digest);
    if (writer.refusesRepeats) seen.add(facts.digest);
    if (index < first) continue;
    const found = draftMessage(message, index, isRepeated, job);
    if (found.length === 0) lost.push(locate(dropped('', facts.needs.includes('cut') ? 'cut' : 'empty'), index));
    // A draft without text only carries the reasons why there is nothing to send.
    for (const draft of found) {
      if (draft.text) drafts.push(draft);
      else lost.push(...draft.losses);
    }
  }
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
