import { digest } from '../../json/index.ts';
import { BLOCKS_ORIGIN, type CallRef, type ContentBlock, type Message } from '../../message/index.ts';
import { type LossNote, rewritten, synthesised } from '../loss.ts';
import { type Policies, takesMedia } from '../provider.ts';
import {
  draftTranslation,
  locateAt,
  mergeDrafts,
  type PlacedDraft,
  placeAt,
  type RequestJob,
  replaceDraft,
  synthesiseDraft,
  takeRun,
} from './drafts.ts';
import { noteLeftOut, readTexts } from './translate.ts';
import type { CallLookup, CallMatch } from './writer.ts';

/** The results that are sent for calls without one: a call that waited for approval was not run, others may have been. */
const UNAPPROVED = 'No result: the call waited for an approval that was not given, and was not run.';
const INTERRUPTED = 'No result: the call was interrupted before its result was recorded.';

/**
 * Ensures that each call is answered once, right behind its turn and before anything else, as every API requires.
 * Drafts that are already in order stay untouched. Results may precede all calls if the body continues calls that the
 * provider stores.
 */
export function pairCallsWithResults(drafts: readonly PlacedDraft[], job: RequestJob): readonly PlacedDraft[] {
  const paired: PlacedDraft[] = [];
  for (let at = 0; at < drafts.length; ) {
    const turn = takeRun(drafts, at, isAssistant);
    const replies = takeRun(drafts, at + turn.length, (draft) => !isAssistant(draft));
    const isPlain =
      turn.every(({ calls }) => calls.length === 0) && replies.every(({ results }) => results.length === 0);
    const isKept = isPlain || (job.continues && turn.length === 0);
    for (const draft of isKept ? [...turn, ...replies] : pairTurn(turn, replies, job)) paired.push(draft);
    at += turn.length + replies.length;
  }
  return paired;
}

function isAssistant({ role }: PlacedDraft): boolean {
  return role === 'assistant';
}

/** An assistant turn, the results of its calls, and then the other replies up to the next turn. */
function pairTurn(
  turn: readonly PlacedDraft[],
  replies: readonly PlacedDraft[],
  job: RequestJob,
): readonly PlacedDraft[] {
  const ids = turn.flatMap(({ calls }) => calls.map(({ id }) => id));
  // Messages of one turn that call by the same id (`tool-id-unique`) are answered one by one.
  const isByTurn = job.writer.resultsFollow === 'turn' && new Set(ids).size === ids.length;
  const isLast = (draft: PlacedDraft): boolean => draft === turn.at(-1);
  const isTogether = isByTurn || turn.every((draft) => isLast(draft) || draft.calls.length === 0);
  if (isTogether && areInOrder(ids, replies, job.writer.resultsInOrder === true)) {
    const results = takeRun(replies, 0, ({ role }) => role === 'tool');
    return [
      ...turn,
      ...(results.every(({ pieces }) => pieces) ? results : mergeDrafts(results, job)),
      ...replies.slice(results.length),
    ];
  }
  const { resultFor, others } = sortReplies(ids, replies, job);
  const answersTo = (...callers: readonly PlacedDraft[]): readonly PlacedDraft[] =>
    mergeDrafts(
      callers.flatMap((caller) =>
        caller.calls.map((call) => resultFor(call) ?? answerMissing(call, caller.of[0], job)),
      ),
      job,
    );
  return [
    ...(isByTurn ? [...turn, ...answersTo(...turn)] : turn.flatMap((draft) => [draft, ...answersTo(draft)])),
    ...others,
  ];
}

/** Whether each call has exactly one result, before anything else; with `isStrict`, also in the order of the calls. */
function areInOrder(ids: readonly string[], replies: readonly PlacedDraft[], isStrict: boolean): boolean {
  const open = new Set(ids);
  const given = isStrict ? replies.flatMap(({ results }) => results) : [];
  return (
    open.size === ids.length &&
    given.every((id, at) => id === ids[at]) &&
    replies.every(({ results, message }) =>
      results.length > 0
        ? !message?.facts.needs.includes('mixed') && results.every((id) => open.delete(id))
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
): { resultFor(call: CallRef): PlacedDraft | undefined; others: readonly PlacedDraft[] } {
  const results = new Map(ids.map((id): [string, PlacedDraft[]] => [id, []]));
  const arrived: PlacedDraft[] = [];
  const others: PlacedDraft[] = [];
  for (const draft of replies.flatMap((reply) => splitResults(reply, job))) {
    const [id, ...more] = draft.results;
    const taken = results.get(id!);
    if (id === undefined) others.push(draft);
    // As many results of each id as there are open calls of that id.
    else if (more.length === 0 && taken && taken.length < ids.filter((call) => call === id).length) {
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
  return first ? [{ ...first, losses: [...noteReordered(draft).losses, ...first.losses] }, ...more] : [];
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

function readResult(index: number, id: string, { messages, calls }: RequestJob): readonly ContentBlock[] {
  const { find } = calls.get(index) ?? NO_CALLS;
  const results = messages[index]!.toolResults;
  const result = results.find(({ toolCallId }) => (find(toolCallId)?.id ?? toolCallId) === id) ?? results[0];
  return result?.content ?? [];
}

/** A result for a call that has none. */
function answerMissing(
  call: CallRef,
  caller: number | undefined,
  { writer, target, unapproved }: RequestJob,
): PlacedDraft {
  const note = synthesised('', 'tool-unanswered', `${call.name} ${call.id}`);
  // The draft has the call under the id that the target takes.
  const isUnapproved = unapproved.some(
    (id) => id === call.id || targetToolId(id, target.provider.policies, '', []) === call.id,
  );
  return synthesiseDraft(writer.result(call, isUnapproved ? UNAPPROVED : INTERRUPTED, target), note, caller);
}

/** Finds no call. */
export const NO_CALLS: CallLookup = { find: () => undefined };

const BY_NAME = /^skn_fn_\d+_(.*)$/s;

/** Whether a result must be written anew to name its call: naming it by function works only for calls of the same issuer. */
export function isMisnamed(id: string, call: CallMatch | undefined): boolean {
  return call !== undefined && call.id !== id && !(call.isOwn && BY_NAME.test(id));
}

/** Follows the calls of a history, message by message, to find the call that each result answers. */
export class CallTracker {
  readonly #byId = new Map<string, CallMatch>();
  /** The calls since the last assistant turn began, for results without an id. */
  #open: CallMatch[] = [];
  #answering = false;

  /** Finds the calls that the results of this message answer, then remembers the message's own calls. */
  next({ facts: { calls, results }, origin: { dialect } }: Message, isOwn: boolean): CallLookup {
    const found = results.length > 0 ? this.#answered(results, dialect) : NO_CALLS;
    if (calls.length > 0 && this.#answering) {
      this.#open = [];
      this.#answering = false;
    }
    for (const ref of calls) {
      const call = { ...ref, isOwn, dialect };
      this.#byId.set(call.id, call);
      this.#open.push(call);
    }
    return found;
  }

  #answered(results: readonly string[], dialect: string): CallLookup {
    const found = results.map((id) => this.#byId.get(id) ?? this.#takeOpen(id, dialect));
    this.#open = this.#open.filter((call) => !found.includes(call));
    this.#answering = true;
    return { find: (id) => found[results.indexOf(id)] };
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
export function targetToolId(id: string, policies: Policies, path: string, losses: LossNote[]): string {
  if (fits(id, policies.toolIds)) return id;
  const plain = `call_${digest(id).slice(0, 24)}`;
  // Some targets take only letters and digits, in a fixed length.
  const made = fits(plain, policies.toolIds) ? plain : digest(id).slice(0, policies.toolIds.maxLength);
  losses.push(rewritten(path, 'tool-id', `${id} -> ${made}`));
  return made;
}

/** The name of a tool in a form that the target takes. */
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
