import type { CallRef, ContentBlock } from '../../message/index.ts';
import { ListFold } from '../../message/message.ts';
import { dropped, type LossReason, rewritten, synthesised } from '../loss.ts';
import type { Element } from '../manifest.ts';
import { forModel, inlineSystem, takesMedia } from '../provider.ts';
import {
  draftTranslation,
  isOwn,
  locateAt,
  mergeDrafts,
  mergeRun,
  NO_CALLS,
  type PlacedDraft,
  placeAt,
  placeDraft,
  type RequestJob,
  replaceDraft,
  synthesiseDraft,
  takeRun,
  targetToolId,
} from './drafts.ts';
import { type LateCalls, sideOf } from './reuse.ts';
import { noteLeftOut, readTexts } from './translate.ts';
import type { Target } from './writer.ts';

/** The results that are sent for calls without one: a call that waited for approval was not run, others may have been. */
const UNAPPROVED = 'No result: the call waited for an approval that was not given, and was not run.';
const INTERRUPTED = 'No result: the call was interrupted before its result was recorded.';

/**
 * Ensures that each call is answered once, right behind its turn and before anything else, as every API requires.
 * Drafts that are already in order stay untouched. Results may precede all calls if the body continues calls that the
 * provider stores.
 */
export function pairCallsWithResults(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  const late = findLateCalls(job);
  return takeTurns(drafts).flatMap(([turn, replies]) => pairTurn(turn, replies, job, late));
}

/** An assistant turn, and what follows it up to the next one. Drafts before the first turn follow an empty one. */
type Turn = readonly [turn: PlacedDraft[], replies: PlacedDraft[]];

/**
 * No function here has a loop over the whole history and much else: V8 compiles it once more for the request after a long
 * one, together with all that it calls, and that took longer than the rest of the request.
 */
function takeTurns(drafts: readonly PlacedDraft[]): readonly Turn[] {
  const turns: Turn[] = [];
  drafts.forEach((draft, at) => {
    const isTurn = isAssistant(draft);
    if (at === 0 || (isTurn && !isAssistant(drafts[at - 1]!))) turns.push([[], []]);
    turns.at(-1)![isTurn ? 0 : 1].push(draft);
  });
  return turns;
}

/** The ids of calls that need no result yet. Theirs may stand anywhere behind them. */
function findLateCalls({ writer, messages, target, cache }: RequestJob): ReadonlySet<string> {
  const { lateCalls } = writer;
  if (!lateCalls) return NONE;
  const { dialect } = target.provider;
  cache.late ??= new ListFold<LateCalls[]>(
    () => [],
    (found, message) => {
      if (message.facts.calls.length === 0 || message.origin.dialect !== dialect) return;
      const ids = lateCalls(message);
      if (ids.length > 0) found.push({ message, ids });
    },
  );
  return new Set(cache.late.fold(messages).flatMap(({ message, ids }) => (isOwn(message, target) ? ids : [])));
}

const NONE: ReadonlySet<string> = /* @__PURE__ */ new Set();

function isAssistant({ role }: PlacedDraft): boolean {
  return role === 'assistant';
}

/** An assistant turn, the results of its calls, and then the other replies up to the next turn. */
function pairTurn(
  turn: readonly PlacedDraft[],
  replies: readonly PlacedDraft[],
  job: RequestJob,
  late: ReadonlySet<string>,
): readonly PlacedDraft[] {
  const isPlain =
    turn.every(({ calls }) => calls.every(({ id }) => late.has(id))) &&
    replies.every(({ results }) => results.every((id) => late.has(id)));
  if (isPlain || (job.continues && turn.length === 0)) return [...turn, ...replies];
  const ids = turn.flatMap(({ calls }) => calls.map(({ id }) => id)).filter((id) => !late.has(id));
  // Messages of one turn that call by the same id (`tool-id-unique`) are answered one by one.
  const isByTurn = job.writer.resultsFollow === 'turn' && new Set(ids).size === ids.length;
  const isLast = (draft: PlacedDraft): boolean => draft === turn.at(-1);
  const isTogether = isByTurn || turn.every((draft) => isLast(draft) || draft.calls.length === 0);
  if (isTogether && areInOrder(ids, replies, job.writer.resultsInOrder === true, late)) {
    const results = takeRun(replies, 0, ({ role }) => role === 'tool');
    return [
      ...turn,
      ...(results.every(({ pieces }) => pieces) ? results : mergeDrafts(results, job)),
      ...replies.slice(results.length),
    ];
  }
  const { resultFor, others } = sortReplies(ids, replies, job, late);
  const answersTo = (...callers: readonly PlacedDraft[]): readonly PlacedDraft[] =>
    mergeDrafts(
      callers.flatMap((caller) =>
        caller.calls
          .filter(({ id }) => !late.has(id))
          .map((call) => resultFor(call) ?? answerMissing(call, caller.of[0], job)),
      ),
      job,
    );
  return [
    ...(isByTurn ? [...turn, ...answersTo(...turn)] : turn.flatMap((draft) => [draft, ...answersTo(draft)])),
    ...others,
  ];
}

/** Whether each call has exactly one result, before anything else; with `isStrict`, also in the order of the calls. */
function areInOrder(
  ids: readonly string[],
  replies: readonly PlacedDraft[],
  isStrict: boolean,
  late: ReadonlySet<string>,
): boolean {
  const open = new Set(ids);
  const given = isStrict ? replies.flatMap(({ results }) => results) : [];
  return (
    open.size === ids.length &&
    given.every((id, at) => id === ids[at]) &&
    replies.every(({ results, message }) =>
      results.some((id) => !late.has(id))
        ? !message!.facts.needs.includes('mixed') && results.every((id) => open.delete(id))
        : open.size === 0,
    ) &&
    open.size === 0
  );
}

/** The results of open calls, to be taken call by call, and everything else, with orphan results told as text. */
function sortReplies(
  ids: readonly string[],
  replies: readonly PlacedDraft[],
  job: RequestJob,
  late: ReadonlySet<string>,
): { resultFor(call: CallRef): PlacedDraft | undefined; others: readonly PlacedDraft[] } {
  const results = new Map(ids.map((id): [string, PlacedDraft[]] => [id, []]));
  const arrived: PlacedDraft[] = [];
  const others: PlacedDraft[] = [];
  for (const draft of replies.flatMap((reply) => splitResults(reply, job))) {
    const [id] = draft.results;
    const taken = results.get(id!);
    if (id === undefined || late.has(id)) others.push(draft);
    // As many results of each id as there are open calls of that id.
    else if (taken && taken.length < ids.filter((call) => call === id).length) {
      // It overtakes what was said before it.
      const result = others.length > 0 ? noteReordered(draft) : draft;
      taken.push(result);
      arrived.push(result);
    } else others.push(tellOrphanResult(draft, id, taken ? 'duplicate-result' : 'late-result', job));
  }
  let sent = 0;
  return {
    resultFor(call) {
      const result = results.get(call.id)!.shift();
      return result && arrived[sent++] !== result && others.length === 0 ? noteReordered(result) : result;
    },
    others,
  };
}

function noteReordered(draft: PlacedDraft): PlacedDraft {
  return { ...draft, losses: [...draft.losses, ...locateAt(draft, rewritten('', 'reordered'))] };
}

/** One draft per result, so that each result can be moved to its call. */
function splitResults(draft: PlacedDraft, job: RequestJob): readonly PlacedDraft[] {
  const { message, role, results, of } = draft;
  if (!message || results.length === 0 || (role === 'tool' && results.length === 1)) return [draft];
  const index = of[0]!;
  const written = draftTranslation(message, job.calls.get(index) ?? NO_CALLS, job);
  const [first, ...more] = written.map((one) => placeAt(one, index));
  return [{ ...first!, losses: [...noteReordered(draft).losses, ...first!.losses] }, ...more];
}

/**
 * Sends a result whose call is already answered, or was never made, as user text: what was sent for the call must not
 * change.
 */
function tellOrphanResult(
  draft: PlacedDraft,
  id: string,
  reason: 'late-result' | 'duplicate-result',
  job: RequestJob,
): PlacedDraft {
  const content = readResult(draft.of[0]!, id, job);
  const text = job.writer.userText(`Result of the earlier tool call ${id}:\n${readTexts(content)}`, job.target);
  const untold = content.flatMap((block, at) => (isTold(block, job) ? [] : [noteLeftOut(block, `content[${at}]`)]));
  return replaceDraft(draft, text, rewritten('', reason, id), ...untold);
}

/** Text is told, and media that the target does not take in results is sent behind them anyway. */
function isTold(block: ContentBlock, { target }: RequestJob): boolean {
  const { user, toolResult } = target.provider.policies.media;
  const isMoved = (mediaType: string): boolean => !takesMedia(toolResult, mediaType) && takesMedia(user, mediaType);
  return block.type === 'text' || (block.type === 'media' && isMoved(block.mediaType));
}

function readResult(index: number, id: string, { messages, calls, target }: RequestJob): readonly ContentBlock[] {
  const { find } = calls.get(index) ?? NO_CALLS;
  const results = messages[index]!.toolResults;
  const result = results.find(({ toolCallId }) => isSentAs(find(toolCallId)?.id ?? toolCallId, id, target));
  return (result ?? results[0])?.content ?? [];
}

/** Whether a call or its result has this id in the body: its own, or one that the target takes. */
function isSentAs(id: string, sent: string, { provider: { policies } }: Target): boolean {
  return id === sent || targetToolId(id, policies, '', []) === sent;
}

/** A result for a call that has none. */
function answerMissing(
  call: CallRef,
  caller: number | undefined,
  { writer, target, unapproved }: RequestJob,
): PlacedDraft {
  const note = synthesised('', 'tool-unanswered', `${call.name} ${call.id}`);
  const isUnapproved = unapproved.some((id) => isSentAs(id, call.id, target));
  return synthesiseDraft(writer.result(call, isUnapproved ? UNAPPROVED : INTERRUPTED, target), note, caller);
}

// Each function here is a pass of `writeRequest`: it ensures one rule about the order of turns and returns the drafts
// unchanged where the target has no such rule.

/** Drops calls and results of server-side tools whose counterpart is missing; see `RequestWriter.dropUnpaired`. */
export function dropUnpairedServerTools(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  const { writer, lost, previous, begun } = job;
  // In a settled start, every call is answered: nothing changes there.
  const settled = begun?.serverTools ?? [];
  const changed = writer.dropUnpaired?.(settled.concat(drafts), previous === undefined);
  if (!changed?.size) return drafts;
  return drafts.flatMap((placed, at) => {
    const index = settled.length + at;
    if (!changed.has(index)) return [placed];
    const draft = changed.get(index);
    // The losses of the changed draft include those that it had before.
    if (draft) return [placeDraft(draft, placed.of, locateAt(placed, ...draft.losses))];
    lost.push(...placed.losses, ...locateAt(placed, dropped('', 'server-tool')));
    return [];
  });
}

/**
 * Where system messages may only follow a user turn and precede an answer (`system-placement`), rewrites those
 * elsewhere as user text. They never move to the top-level system text, because that would change the prefix.
 */
export function rewriteMisplacedSystem(
  drafts: readonly PlacedDraft[],
  { writer, target, lost }: RequestJob,
): readonly PlacedDraft[] {
  if (inlineSystem(target) !== 'after-user') return drafts;
  return drafts.flatMap((draft, index) => {
    if (!isSystem(draft)) return draft;
    const before = drafts.slice(0, index).findLast((other) => !isSystem(other))?.role;
    const after = drafts.slice(index + 1).find((other) => !isSystem(other))?.role;
    if ((before === 'user' || before === 'tool') && (after ?? 'assistant') === 'assistant') return draft;
    const content = draft.message!.content;
    const left = content.flatMap((block, at) =>
      block.type === 'text' ? [] : locateAt(draft, noteLeftOut(block, `content[${at}]`)),
    );
    const text = readTexts(content);
    if (text.trim() === '') {
      // What it changes, such as the tools, can only be said in a system message.
      lost.push(...draft.losses, ...(left.length > 0 ? left : locateAt(draft, dropped('', 'inline-system'))));
      return [];
    }
    const told = replaceDraft(draft, writer.userText(text, target), rewritten('', 'inline-system'));
    return { ...told, losses: [...told.losses, ...left] };
  });
}

function isSystem({ role }: PlacedDraft): boolean {
  return role === 'system';
}

/** Merges runs of one role into one element, for chat templates that require user and assistant to alternate. */
export function mergeConsecutiveTurns(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  if (!job.target.provider.policies.alternateRoles) return drafts;
  const merged: PlacedDraft[] = [];
  for (let at = 0; at < drafts.length; ) {
    const role = sideOf(drafts[at]!.role, job.writer);
    const run = takeRun(drafts, at, (draft) => sideOf(draft.role, job.writer) === role);
    merged.push(...mergeRun(run, role, job));
    at += run.length;
  }
  return merged;
}

/** The user message before a call that would otherwise be the first thing in the conversation. */
const OPENING = 'The conversation so far:';

/** Puts a user message before a turn of calls if the target takes no calls at the front (`call-first`). */
export function openWithUser(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  const { writer, target, messages, previous, begun } = job;
  const isFromOthers = ({ of }: Element): boolean =>
    of.length === 0 || of.some((index) => messages[index]!.role !== 'assistant');
  if (!writer.callsFollowUser || begun || previous?.elements.some(isFromOthers)) return drafts;
  const opening = takeRun(drafts, 0, ({ role }) => role === 'assistant');
  return opening.some(({ calls }) => calls.length > 0)
    ? [synthesiseDraft(writer.userText(OPENING, target), synthesised('', 'opening')), ...drafts]
    : drafts;
}

/** The user message that asks a model without prefill to continue an assistant message. */
const CONTINUE = 'Continue.';

/** Ensures that the request ends in a way that the target takes (`prefill`, `model-tail`, `trailing-space`, `no-messages`). */
export function endAcceptably(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  const { writer, target, lost, previous, earlier, begun } = job;
  const askToContinue = (reason: LossReason): readonly PlacedDraft[] => [
    ...drafts,
    synthesiseDraft(writer.userText(CONTINUE, target), synthesised('', reason)),
  ];
  const last = drafts.at(-1);
  const prefill = forModel(target.provider.policies.prefill, target.model);
  if (!last) {
    // Elements before the drafts of a first request are system texts. Who takes no assistant message at the end takes no
    // system texts alone, either.
    const isEmpty = earlier.length === 0 || (prefill === 'no' && !begun);
    return !previous && isEmpty ? askToContinue('nothing-to-send') : drafts;
  }
  if (last.role !== 'assistant' || job.continuesReply || isPaused(last)) return drafts;
  if (prefill === 'no') return askToContinue('prefill');
  const trimmed = prefill === 'trimmed' ? writer.trimEnd?.(last) : undefined;
  if (trimmed === undefined) return drafts;
  const others = drafts.slice(0, -1);
  if (trimmed) return [...others, replaceDraft(last, trimmed, rewritten('', 'prefill'))];
  lost.push(...last.losses, ...locateAt(last, dropped('', 'empty')));
  return endAcceptably(others, job);
}

/** A turn that ends in a server-side tool is continued by sending it again unchanged (`pause_turn`). */
function isPaused({ pieces, message }: PlacedDraft): boolean {
  return pieces !== undefined && message?.content.at(-1)?.type === 'unknown';
}
