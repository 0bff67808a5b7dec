import type { Checkpoint } from '@skein/core';
import { type AppendPoint, ROOT_POINT } from '../../forest/index.ts';
import { type Hints, samePerson } from '../hints.ts';
import type { Placement } from '../placement.ts';
import type { Turn } from '../read-exchange.ts';
import { describeCompaction, matchSummary } from './compactions.ts';
import { questionBefore, turnKey } from './evidence.ts';
import {
  findByProof,
  findByQuote,
  findByTurns,
  findByWords,
  findLastResponse,
  SHORTEST_SUMMARY,
  summedUp,
} from './find-reply.ts';
import {
  CLOCK_TOLERANCE_MS,
  findEarlyRequests,
  noteEarlyRequest,
  summaryKey,
  turnsKey,
  wordsKey,
} from './known-replies.ts';
import {
  type Continuation,
  type ContinuationPoint,
  type Cut,
  type KnownResponse,
  placeAt,
  type RecordedIndex,
  recordedThreadId,
  type SummedUp,
} from './recorded-index.ts';
import { followHistory, followMessages, SentHistory } from './sent-history.ts';
import { isSideCall, isSummaryCall } from './side-calls.ts';

/** The thread and position that a request belongs to, and how they were found. */
export interface ThreadMatch {
  readonly thread: string;
  readonly place: AppendPoint;
  /** How many messages of the history lead to that position. */
  readonly matched: number;
  readonly found: NonNullable<Placement['found']>;
  readonly by: 'exact' | 'echo';
  /** The reply that it continues. */
  readonly spot?: ContinuationPoint | undefined;
  /** The index of that reply in the history. */
  readonly at?: number;
  readonly compaction?: Checkpoint;
  readonly isNamed?: boolean;
  readonly unrecorded?: string;
  /** The response whose history the API keeps. */
  readonly kept?: KnownResponse | undefined;
  /** The conversation that the request asks a summary of. */
  readonly sumsUp?: SummedUp | undefined;
}

/**
 * Applies rules 1 to 9. A request whose last reply is not known is noted: the reply may start later by another server's
 * clock.
 */
export function findThread(index: RecordedIndex, history: SentHistory, turn: Turn): ThreadMatch {
  const finding = findByRules(index, history, turn);
  const { messages, system } = history;
  const last = history.replyBefore(messages.length);
  const { isNamed } = finding;
  // A match under another system text, or by the last turns alone, is second best: a full match may still arrive.
  const isWhole = finding.matched > last;
  const isOther =
    (finding.found === 'words' && finding.spot?.system.dated !== system.dated) ||
    (finding.found === 'compacted' && finding.at !== undefined);
  awaitReply(index, history, last, turn);
  if (isOther || !isWhole) {
    const key = turnKey(questionBefore(messages, last), messages[last]!);
    const keys = [wordsKey(history.echo(last).text), turnsKey(key, system)];
    noteEarlyRequest(index, turn, keys, { system, isNamed, isOther: isOther && isWhole });
  } else if (finding.found === 'new' && !isCut(turn)) {
    const cut = cutKey(turn);
    const { group } = turn.hints;
    const isSummary = () => messages.some(({ role, text }) => role === 'user' && text.length >= SHORTEST_SUMMARY);
    const keys = [
      ...(cut === undefined ? [] : [cut]),
      ...(group !== undefined && isSummary() ? [summaryKey(group)] : []),
    ];
    noteEarlyRequest(index, turn, keys, { system });
  }
  return finding;
}

/** The reply that a request continues. In a named thread it is found by its exact text. */
export function findContinuedReply(history: SentHistory, { spot, matched }: ThreadMatch): string | undefined {
  if (spot) return spot.node;
  const last = history.replyBefore(history.messages.length);
  return matched > last ? history.nodeAt(last)?.place.id : undefined;
}

/** The retry of a cut request, if it started earlier by another server's clock. `before` continued the same reply. */
export function findEarlyRetry(
  { exchange: { start, end = start, requestSha256 } }: Turn,
  before: Continuation | undefined,
): string[] {
  if (!before || requestSha256 === undefined || before.requestSha256 !== requestSha256) return [];
  return before.outcome !== 'cut' && before.start >= end - CLOCK_TOLERANCE_MS ? [before.id] : [];
}

/**
 * When a reply is given again: requests that continued the first one, and may have continued this one by another clock.
 */
export function findEarlyContinuations(
  index: RecordedIndex,
  { exchange: { start, end = start } }: Turn,
  thread: string,
  replies: readonly string[],
): string[] {
  return replies.flatMap((node) => {
    const next = index.continued.get(`${thread} ${node}`);
    return next && next.start >= end - CLOCK_TOLERANCE_MS ? [next.id] : [];
  });
}

/** Applies the rules in order; the first that matches decides. */
function findByRules(index: RecordedIndex, history: SentHistory, turn: Turn): ThreadMatch {
  const named = findByName(index, history, turn);
  if (named) return named;
  const cut = takeCut(index, turn);
  if (cut) return { thread: cut.thread, spot: cut.spot, ...atParent(index, history, cut.parent), found: 'retry' };
  const found = findByHistory(index, history, turn);
  const isOther = found?.spot?.system.dated !== history.system.dated;
  // A side call may show a conversation to a model under other instructions. It is not a turn of that conversation.
  if (found && !(isOther && isSideCall(turn) && !isSummaryCall(turn))) return found;
  return {
    thread: recordedThreadId(`exchange\n${turn.exchange.id}`),
    place: ROOT_POINT,
    matched: 0,
    found: 'new',
    by: 'exact',
  };
}

/** Rules 4 to 8: replies that the history sends back. */
function findByHistory(index: RecordedIndex, history: SentHistory, turn: Turn): ThreadMatch | undefined {
  const last = history.replyBefore(history.messages.length);
  const proof = findByProof(index, history, turn.hints) ?? findLastResponse(index, history, turn);
  if (proof) return { found: 'proof', ...matchFrom(index, history, proof) };
  const words = findByWords(index, history, turn);
  if (words?.at === last) return { found: 'words', ...matchFrom(index, history, words) };
  const turns = findByTurns(index, history, turn);
  if (turns && turns.at > (words?.at ?? 0)) return { found: 'compacted', ...matchFrom(index, history, turns) };
  const quoted = isSideCall(turn) ? undefined : findByQuote(index, history, turn);
  if (quoted) return matchSummary(index, history, quoted);
  return words && { found: 'words', ...matchFrom(index, history, words) };
}

/** Rule 1: the client named the conversation. Only `x-skein-thread` joins requests of different persons. */
function findByName(index: RecordedIndex, history: SentHistory, { exchange, hints }: Turn): ThreadMatch | undefined {
  const name = exchange.thread;
  if (name !== undefined) {
    const thread = namedThreadId(index, name);
    return { thread, ...followInThread(index, history, thread, hints), found: 'named', isNamed: true };
  }
  if (hints.name === undefined) return undefined;
  const thread = recordedThreadId(`client\n${hints.name}`);
  const there = index.threads.get(thread);
  if (there && !samePerson(hints, there.hints)) return undefined;
  return { thread, ...followInThread(index, history, thread, hints), found: 'named', isNamed: true };
}

/**
 * Where a history that does not lead to its last reply by its content goes on in a thread: at a reply with an issued id, or
 * behind the conversation that a reply of its provider sums up.
 */
function proveInThread(
  index: RecordedIndex,
  history: SentHistory,
  thread: string,
  hints: Hints,
  matched: number,
): Omit<ThreadMatch, 'found' | 'thread'> | undefined {
  if (history.replyBefore(history.messages.length) < matched) return undefined;
  const proof = findByProof(index, history, hints);
  if (!proof || proof.at < matched) return undefined;
  const summed = summedUp(index, proof.spot.thread);
  if (summed.thread !== thread) return undefined;
  if (proof.spot.thread === thread) return matchFrom(index, history, proof);
  return matchSummary(index, history, { ...proof, ...summed });
}

/** A name may also be the id of a recorded thread. */
function namedThreadId(index: RecordedIndex, name: string): string {
  return index.threads.has(name) ? name : recordedThreadId(`name\n${name}`);
}

/** Follows a history inside a named thread. */
function followInThread(
  index: RecordedIndex,
  history: SentHistory,
  thread: string,
  hints: Hints,
): Pick<ThreadMatch, 'place' | 'matched' | 'by' | 'spot' | 'at' | 'compaction'> {
  const there = index.threads.get(thread);
  const byContent = followHistory(index, history);
  const proven = there && proveInThread(index, history, thread, hints, byContent.matched);
  if (proven) return proven;
  if (!there || byContent.matched > history.lead) return byContent;
  // The system text changed: follow the words below the one that the thread began with.
  const { lead } = placeAt(index, there.head);
  const behind = followMessages(index, placeAt(index, lead), history.messages.slice(history.lead));
  return behind.matched > 0 ? { ...behind, matched: history.lead + behind.matched } : byContent;
}

/** Rule 2: the API keeps the history. Undefined if the request brings its own. */
export function findKeptHistory(
  index: RecordedIndex,
  turn: Turn,
): { readonly history: SentHistory; readonly finding: ThreadMatch } | undefined {
  const { exchange, hints, previous, conversation } = turn;
  const kept = conversation === undefined ? undefined : index.conversations.get(conversation);
  const response = previous ?? kept?.response;
  if (response === undefined && !kept) return undefined;
  const known = response === undefined ? undefined : index.responses.get(response);
  const own =
    exchange.thread === undefined
      ? recordedThreadId(`exchange\n${exchange.id}`)
      : namedThreadId(index, exchange.thread);
  if (response !== undefined && (!known || known.state === 'pending')) {
    awaitKey(index, responseKey(response), exchange.id);
    const finding = {
      thread: own,
      place: ROOT_POINT,
      matched: 0,
      found: 'new' as const,
      by: 'exact' as const,
      isNamed: true,
      unrecorded: response,
    };
    return { history: new SentHistory(index, turn), finding };
  }
  const at = placeAt(index, known ? (known.node ?? known.below) : kept!.node);
  const sent = known?.node === undefined ? undefined : known.spot?.sent;
  const echo = sent ? { ...at.echo, text: sent.after } : at.echo;
  // The request contains only the new messages, but Codex begins with all of them after a warm-up.
  const history = new SentHistory(index, { system: undefined, messages: turn.messages }, echo);
  const behind = followMessages(index, at, history.messages);
  const thread = known?.thread ?? kept!.thread;
  const isSame = samePerson(hints, index.threads.get(thread)?.hints ?? {});
  const found = proveInThread(index, history, thread, hints, behind.matched) ?? behind;
  return {
    history,
    finding: { ...found, thread: exchange.thread !== undefined || !isSame ? own : thread, found: 'named', kept: known },
  };
}

/**
 * Rule 3: a retry. The same bytes with the same hints come shortly after a cut request, or the client counts the retry
 * itself.
 */
function takeCut(index: RecordedIndex, turn: Turn): Cut | undefined {
  const { exchange } = turn;
  const key = cutKey(turn);
  const cuts = key === undefined ? undefined : index.cuts.get(key);
  if (key === undefined || !cuts) return undefined;
  const isCounted = Number(exchange.requestHeaders['x-stainless-retry-count']) > 0;
  // If both were cut and they overlap, they were sent side by side.
  const tolerance = isCut(turn) ? 0 : CLOCK_TOLERANCE_MS;
  const cut = cuts.findLast(
    ({ end }) => isCounted || (exchange.start - end <= RETRY_MS && end - exchange.start <= tolerance),
  );
  if (cut) {
    index.set(
      index.cuts,
      key,
      cuts.filter((one) => one !== cut),
    );
  }
  return cut;
}

const RETRY_MS = 60_000;
/** At most this many cut requests with the same bytes and hints wait for their retries. */
const MOST_CUTS = 100;

/** Remembers a cut request. Returns retries of it that started earlier by another server's clock. */
export function noteCut(
  index: RecordedIndex,
  turn: Turn,
  { thread, parent, spot }: Omit<Cut, 'end'>,
): readonly string[] {
  const { exchange } = turn;
  const key = cutKey(turn);
  // Retries in a named thread carry the name.
  if (key === undefined || index.threads.get(thread)!.isNamed) return [];
  const cuts = index.cuts.get(key) ?? [];
  index.set(index.cuts, key, [
    ...cuts.slice(-MOST_CUTS),
    { thread, parent, spot, end: exchange.end ?? exchange.start },
  ]);
  return findEarlyRequests(index, [key], exchange, () => true);
}

function cutKey({ exchange: { requestSha256 }, hintsKey }: Turn): string | undefined {
  return requestSha256 === undefined ? undefined : `${requestSha256} ${hintsKey}`;
}

function atParent(index: RecordedIndex, history: SentHistory, parent: string) {
  return { place: placeAt(index, parent), matched: history.messages.length, by: 'exact' as const };
}

/**
 * The position of a history behind a reply that it sends back. If the messages before that reply differ from the
 * recorded ones, the client compacted its history.
 */
function matchFrom(
  index: RecordedIndex,
  history: SentHistory,
  { spot, at }: { readonly spot: ContinuationPoint; readonly at: number },
): Omit<ThreadMatch, 'found'> {
  const { thread } = spot;
  const isExact = at < history.exact;
  const from = isExact ? history.nodeAt(at)!.place : placeAt(index, spot.node);
  const behind = followMessages(index, from, history.messages.slice(at + 1));
  const found = { thread, spot, at, ...behind, matched: at + 1 + behind.matched };
  // A reply that is sent by its id alone has no words to compare, so nothing shows a compaction.
  if (isExact || history.isReference(at) || isSentAgain(index, history, { spot, at })) return found;
  return { ...found, compaction: describeCompaction(index, history, found) };
}

/**
 * Whether a client sends before a reply, or with it, what it sent when it got that reply: then it has compacted nothing since.
 * The reply itself may have changed: Claude Code adds the defaults of a tool to the arguments of a call.
 */
function isSentAgain(
  index: RecordedIndex,
  history: SentHistory,
  { spot, at }: { readonly spot: ContinuationPoint; readonly at: number },
): boolean {
  const { place, parent } = index.nodes.get(spot.node)!;
  const { before, after } = spot.sent ?? { before: placeAt(index, parent).echo.text, after: place.echo.text };
  return [place.echo.text, after].includes(history.echo(at).text) || history.echo(at - 1).text === before;
}

/** Notes an unknown reply. If its exchange arrives later, this request is placed behind it. */
function awaitReply(index: RecordedIndex, history: SentHistory, reply: number, { exchange, last }: Turn): void {
  if (reply < 0) return;
  if (last !== undefined && !index.responses.has(last)) awaitKey(index, responseKey(last), exchange.id);
  for (const key of history.issued(reply)) if (!index.proofs.has(key)) awaitKey(index, key, exchange.id);
}

export function awaitKey(index: RecordedIndex, key: string, exchange: string): void {
  index.set(index.awaiting, key, [...(index.awaiting.get(key) ?? []), exchange]);
}

/** The key of a complete response, for requests that continue it. */
export function responseKey(id: string): string {
  return `response ${id}`;
}

export function isCut({ answer, exchange }: Turn): boolean {
  return answer.stop.reason === 'cut' || (exchange.outcome === 'cut' && answer.replies.length === 0);
}
