import { type Hints, hintsAgree, samePerson, subsetKeys } from '../hints.ts';
import type { Turn } from '../read-exchange.ts';
import { createQuoteFinder, questionBefore, turnKey } from './evidence.ts';
import { CLOCK_TOLERANCE_MS, systemPlace, turnsKey } from './known-replies.ts';
import type { ContinuationPoint, HintsList, IndexThread, RecordedIndex, SummedUp } from './recorded-index.ts';
import type { SentHistory } from './sent-history.ts';

/** A reply of a recorded thread that a request sends back. */
interface ReplyMatch {
  readonly spot: ContinuationPoint;
  /** The index of the reply in the history. */
  readonly at: number;
}

/** If more conversations than this begin alike, they are not compared one by one. */
const MOST_COMPARED = 256;
const LONG_REPLIES_NEEDED = 2;
/** How many turns of a compacted history are looked up. */
const MOST_TURNS = 50;

/**
 * Finds the last reply in a history with an id that only its provider could have issued, unless it belongs to another
 * person. An id that two exchanges got proves nothing.
 */
export function findByProof(index: RecordedIndex, history: SentHistory, hints: Hints): ReplyMatch | undefined {
  for (let at = history.messages.length - 1; at >= 0; at--) {
    const node = history.nodeAt(at);
    // Skips known nodes without issued ids.
    if (node && node.prover !== node.place.id) {
      if (node.prover === undefined) return undefined;
      at = index.nodes.get(node.prover)!.place.depth - 1;
    }
    if (!history.isReply(at)) continue;
    for (const key of history.issued(at)) {
      const spot = index.proofs.get(key);
      if (spot === undefined || spot === 'several') continue;
      const thread = index.threads.get(spot.thread);
      if (thread && samePerson(hints, thread.hints)) return { spot, at };
    }
  }
  return undefined;
}

/**
 * Finds the response that a request names as the last one of its conversation. It counts only if the history sends its
 * reply back: a client may name any response.
 */
export function findLastResponse(
  index: RecordedIndex,
  history: SentHistory,
  { last, hints }: Turn,
): ReplyMatch | undefined {
  const known = last === undefined ? undefined : index.responses.get(last);
  const { thread: id = '', node, spot } = known ?? {};
  const thread = index.threads.get(id);
  if (node === undefined || !spot || !thread || !samePerson(hints, thread.hints)) return undefined;
  const { place } = index.nodes.get(node)!;
  const { messages } = history;
  const turn = index.turnAt.get(node);
  for (let at = history.replyBefore(messages.length); at >= 0; at = history.replyBefore(at)) {
    const isSame =
      history.echo(at).text === place.echo.text || turnKey(questionBefore(messages, at), messages[at]!) === turn;
    if (isSame) return { spot, at };
  }
  return undefined;
}

/**
 * Finds the last reply in a history whose words are all known, under the same system text. Under another system text,
 * only one thread may fit, and two of its long replies have to come back.
 */
export function findByWords(index: RecordedIndex, history: SentHistory, turn: Turn): ReplyMatch | undefined {
  for (let at = history.replyBefore(history.messages.length); at >= 0; at = history.replyBefore(at)) {
    const echo = history.echo(at).text;
    const spot =
      findUnderSystem(index, `${echo} ${history.system.dated}`, turn) ??
      findUnderOtherSystem(index, echo, history, turn);
    if (spot) return { spot, at };
  }
  return undefined;
}

function findUnderSystem(index: RecordedIndex, words: string, turn: Turn): ContinuationPoint | undefined {
  const list = index.hintsAt.get(words);
  if (!list) return undefined;
  const own = turn.hintsKey;
  const exact = bestSpot(index, [`${words} ${own}`], turn);
  if (exact) return exact;
  const keys = compatibleKeys(list, turn.hints, own);
  return (
    keys &&
    bestSpot(
      index,
      keys.map((key) => `${words} ${key}`),
      turn,
    )
  );
}

/**
 * The keys of hints that agree with those of a request. Undefined if those hints disagree among each other: the request
 * could then belong to either person, so it belongs to neither.
 */
function compatibleKeys(list: HintsList, hints: Hints, own: string): readonly string[] | undefined {
  if (list.count > MOST_COMPARED) return subsetKeys(hints).filter((key) => key !== own);
  const found: HintsList[] = [];
  for (let at: HintsList | undefined = list; at; at = at.next) {
    if (at.key === own || !hintsAgree(hints, at.hints)) continue;
    const { hints: one } = at;
    if (found.some((other) => !hintsAgree(one, other.hints))) return undefined;
    found.push(at);
  }
  return found.map(({ key }) => key);
}

/**
 * Chooses among the threads that fit: one that ends at the reply, else one with a branch that ends there, else the one
 * that was used last.
 */
function bestSpot(index: RecordedIndex, keys: readonly string[], turn: Turn): ContinuationPoint | undefined {
  const ranks: (ContinuationPoint | undefined)[] = [];
  for (const key of keys)
    for (const [rank, spot] of spotsUnder(index, key, turn).entries())
      if (spot) ranks[rank] = later(index, ranks[rank], spot);
  return ranks.find((spot) => spot !== undefined);
}

/** The newest reply that ends a thread, the newest that ends a branch, and the one that was used last. */
function spotsUnder(index: RecordedIndex, key: string, turn: Turn): readonly (ContinuationPoint | undefined)[] {
  let tip: ContinuationPoint | undefined;
  let isFront = true;
  for (let at = index.spots.get(key); at; at = at.next) {
    const { spot } = at;
    const thread = index.threads.get(spot.thread);
    const isHead = thread?.head === spot.node;
    const isTip = thread !== undefined && !index.continued.has(`${spot.thread} ${spot.node}`);
    if (!isHead && !isTip) {
      // From here on only branching off is possible, and the reply used last represents all of those.
      if (isFront) index.set(index.spots, key, at.next);
      continue;
    }
    isFront = false;
    if (!fitsByWords(thread, spot, turn)) continue;
    if (isHead) return [spot];
    tip ??= spot;
  }
  const last = index.lastUsed.get(key);
  const isUsable = last && fitsByWords(index.threads.get(last.thread), last, turn);
  return [undefined, tip, isUsable ? last : undefined];
}

function later(index: RecordedIndex, a: ContinuationPoint | undefined, b: ContinuationPoint): ContinuationPoint {
  if (!a) return b;
  return index.threads.get(b.thread)!.touched > index.threads.get(a.thread)!.touched ? b : a;
}

/**
 * Looks under other system texts. If only numbers differ, exactly one thread has to fit, because a number may be a
 * counter or the number of another customer. Otherwise two long replies of that thread have to come back, too.
 */
function findUnderOtherSystem(
  index: RecordedIndex,
  echo: string,
  { system: { numbered } }: SentHistory,
  turn: Turn,
): ContinuationPoint | undefined {
  const near: ContinuationPoint[] = [];
  const all: ContinuationPoint[] = [];
  let looked = 0;
  for (let at = index.anySystem.get(echo); at; at = at.next) {
    const { spot } = at;
    looked += 1;
    if (looked > MOST_COMPARED) return undefined;
    const thread = index.threads.get(spot.thread);
    if (!fitsByWords(thread, spot, turn) || !hintsAgree(turn.hints, thread!.hints)) continue;
    all.push(spot);
    if (spot.system.numbered === numbered) near.push(spot);
  }
  if (near.length > 0) return onlyThread(near);
  const only = onlyThread(all);
  return only && only.longReplies >= LONG_REPLIES_NEEDED ? only : undefined;
}

/** The newest of these replies if all belong to one thread. */
function onlyThread(spots: readonly ContinuationPoint[]): ContinuationPoint | undefined {
  const [newest] = spots;
  return spots.every(({ thread }) => thread === newest?.thread) ? newest : undefined;
}

/** Named threads are never matched by words. */
function fitsByWords(thread: IndexThread | undefined, { ended }: ContinuationPoint, { exchange }: Turn): boolean {
  return thread !== undefined && !thread.isNamed && ended <= exchange.start + CLOCK_TOLERANCE_MS;
}

/**
 * Finds the last turn of a compacted history: it and the turn before it belong to one thread, in this order. Turns that
 * several threads have on different paths match none.
 */
export function findByTurns(index: RecordedIndex, history: SentHistory, turn: Turn): ReplyMatch | undefined {
  const { messages, system } = history;
  const turns: { readonly at: number; readonly key: string }[] = [];
  for (
    let at = history.replyBefore(messages.length);
    at >= 0 && turns.length < MOST_TURNS;
    at = history.replyBefore(at)
  )
    turns.push({ at, key: turnKey(questionBefore(messages, at), messages[at]!) });
  for (const [place, { at, key }] of turns.entries()) {
    const before = turns[place + 1]?.key;
    if (before === undefined) break;
    const found: ContinuationPoint[] = [];
    let looked = 0;
    for (let list = index.turns.get(turnsKey(key, system)); list; list = list.next) {
      const { spot } = list;
      looked += 1;
      if (looked > MOST_COMPARED) return undefined;
      const thread = index.threads.get(spot.thread);
      if (!fitsByWords(thread, spot, turn) || !hintsAgree(turn.hints, thread!.hints)) continue;
      if (hasAbove(index, spot, before)) found.push(spot);
    }
    const near = found.filter((spot) => spot.system.dated === system.dated);
    const [spot, ...others] = near.length > 0 ? near : found;
    if (!spot) continue;
    return others.every(({ thread, node }) => thread === spot.thread || node === spot.node) ? { spot, at } : undefined;
  }
  return undefined;
}

/** Whether a turn is among the ancestors of a reply. */
function hasAbove(index: RecordedIndex, { node }: ContinuationPoint, turn: string): boolean {
  for (let at = index.nodes.get(index.nodes.get(node)!.parent); at; at = index.nodes.get(at.parent))
    if (at.isReply && index.turnAt.get(at.place.id) === turn) return true;
  return false;
}

/** A conversation that a history sums up. */
export interface SummaryMatch extends SummedUp {
  /** The reply that the summary quotes. */
  readonly spot: ContinuationPoint;
  /** The index of the message with the summary. */
  readonly at: number;
}

/**
 * Finds the thread of the same session that a user's text quotes: the client has summarised it. A summary that the program
 * asked a model for stands for the conversation that it sums up, whoever says it.
 */
export function findByQuote(
  index: RecordedIndex,
  history: SentHistory,
  { hints, tools }: Turn,
): SummaryMatch | undefined {
  const list = index.passages.get(hints.group ?? systemPlace(history.system));
  if (!list) return undefined;
  for (let message = history.lead; message < history.messages.length; message++) {
    const { role, text } = history.messages[message]!;
    if ((role !== 'user' && role !== 'assistant') || text.length < SHORTEST_SUMMARY) continue;
    const isQuoted = createQuoteFinder(text);
    for (let at: typeof list | undefined = list; at; at = at.next) {
      const { spot, blocks } = at;
      const found = summedUp(index, spot.thread);
      const thread = index.threads.get(found.thread);
      if (role === 'assistant' && found.thread === spot.thread) continue;
      if (!thread || thread.hasTools !== tools.length > 0 || !samePerson(hints, thread.hints)) continue;
      if (isQuoted(blocks)) return { ...found, spot, at: message };
    }
  }
  return undefined;
}

/** The conversation that a thread sums up; otherwise the thread itself. */
export function summedUp(index: RecordedIndex, thread: string): SummedUp {
  return index.threads.get(thread)?.sumsUp ?? { thread };
}

export const SHORTEST_SUMMARY = 200;
