import type { Message } from '@skein/core';
import { findOpening } from '../../forest/index.ts';
import { type Hints, hintsAgree, hintsKey, mergeHints, samePerson } from '../hints.ts';
import type { Turn } from '../read-exchange.ts';
import { extendSent, questionBefore, type SystemKeys, toPassages, turnKey } from './evidence.ts';
import type { ThreadMatch } from './placement-rules.ts';
import { type ContinuationPoint, type IndexThread, placeAt, type RecordedIndex } from './recorded-index.ts';
import { type SentHistory, systemKeysAt } from './sent-history.ts';

/** From this length on, a reply is unlikely to be given twice. */
const LONG_REPLY = 80;

/** Updates a thread with one more request. */
export function updateThread(
  index: RecordedIndex,
  turn: Turn,
  { thread, isNamed = false, unrecorded, sumsUp }: ThreadMatch,
  { head, isSide }: { readonly head: string; readonly isSide: boolean },
): void {
  const { exchange, hints, tools } = turn;
  const { start, end = start } = exchange;
  const there = index.threads.get(thread);
  // A program may ask for something before a person does, to warm a cache: the title then comes from a later request.
  const words = there?.title ? there : readWords(turn);
  const session = there?.session ?? (hints.group && (index.sessions.get(hints.group) ?? hints.group));
  // A session that continues the conversation of another one is grouped with it.
  if (session && hints.group && hints.group !== session && !index.sessions.has(hints.group))
    index.set(index.sessions, hints.group, session);
  const together = there ? joinHints(there, turn) : turn;
  const first: IndexThread['part'] = hints.isSubagent ? 'subagent' : isSide ? 'side' : 'main';
  index.set(index.threads, thread, {
    head,
    created: there?.created ?? start,
    touched: Math.max(there?.touched ?? 0, end),
    title: words.title,
    opening: there ? there.opening : words.opening,
    hints: together.hints,
    hintsKey: together.hintsKey,
    part: there?.part === 'side' ? 'main' : (there?.part ?? first),
    session,
    isNamed: there?.isNamed ?? isNamed,
    hasTools: there?.hasTools === true || tools.length > 0,
    unrecorded: there ? there.unrecorded : unrecorded,
    sumsUp,
  });
  const key = sessionKey(hints);
  if (key !== undefined && !isSide && index.latest.get(key) !== thread) index.set(index.latest, key, thread);
}

/** The key of what one agent does in one session: programs name a session in several places. */
export function sessionKey({ group, session = {}, agent = '' }: Hints): string | undefined {
  return group === undefined ? undefined : [group, agent, ...new Set(Object.values(session).sort())].join(' ');
}

/** Most requests have the same hints as those before them. */
function joinHints(there: IndexThread, { hints, hintsKey: own }: Turn): Pick<IndexThread, 'hints' | 'hintsKey'> {
  if (own === there.hintsKey) return there;
  const merged = mergeHints(there.hints, hints);
  return { hints: merged, hintsKey: hintsKey(merged) };
}

function readWords({ exchange, messages }: Turn): Pick<IndexThread, 'title' | 'opening'> {
  const words = findOpening(messages);
  return exchange.thread === undefined ? words : { ...words, title: exchange.thread };
}

/** The replies of an exchange and their nodes. */
interface Replies {
  readonly turn: Pick<Turn, 'exchange' | 'hints'>;
  readonly thread: string;
  /** The id of the node that the system messages of the request end with. */
  readonly leadId: string;
  /** Those messages, if the request contains them. */
  readonly lead?: readonly Message[] | undefined;
  /** Absent for a reply that a later exchange delivered. */
  readonly sent?: { readonly history: SentHistory; readonly finding: ThreadMatch };
  readonly messages: readonly Message[];
  readonly ids: readonly string[];
}

/** What the new replies made known. */
interface IndexedReplies {
  /** Ids and signatures that its provider issued. */
  readonly ids: readonly string[];
  /** Exchanges that continue them, but started earlier by another server's clock. */
  readonly early: readonly string[];
  /** The first of them. */
  readonly spot: ContinuationPoint | undefined;
}

/** Adds replies to the index: by their words, by their turn, and by the ids that the provider issued. */
export function indexReplies(index: RecordedIndex, replies: Replies): IndexedReplies {
  const { turn, thread: id, leadId, lead, sent, messages, ids } = replies;
  const { exchange } = turn;
  const thread = index.threads.get(id)!;
  const system = systemKeysAt(index, leadId, lead);
  const before = sent?.finding.spot;
  if (sent && before && sent.finding.at !== undefined)
    index.set(index.lastUsed, `${sent.history.echo(sent.finding.at).text} ${system.dated} ${thread.hintsKey}`, before);
  const issued: string[] = [];
  const early: string[] = [];
  let first: ContinuationPoint | undefined;
  for (const [at, node] of ids.entries()) {
    const message = messages[at]!;
    const { place, issued: own } = index.nodes.get(node)!;
    const isLong = message.text.length >= LONG_REPLY;
    const longReplies = (before?.longReplies ?? 0) + (isLong ? 1 : 0);
    const chain = sent && sentEchoes(index, message, node, sent.history);
    const spot: ContinuationPoint = {
      thread: id,
      node,
      ended: exchange.end ?? exchange.start,
      longReplies,
      system,
      ...(chain && { sent: chain }),
    };
    first ??= spot;
    // A client that compacted its history sends the reply back behind what it sent.
    const echoes = [...new Set([place.echo.text, chain?.after ?? place.echo.text])];
    for (const echo of echoes) addSpot(index, echo, thread, spot);
    const keys = echoes.map(wordsKey);
    if (sent) {
      const key = turnKey(questionBefore(sent.history.messages, sent.history.messages.length), message);
      addTurn(index, key, spot);
      keys.push(turnsKey(key, system));
    }
    for (const key of own) index.set(index.proofs, key, index.proofs.has(key) ? 'several' : spot);
    issued.push(...own);
    early.push(...findEarlyRequests(index, keys, exchange, (one) => fitsEarly(index, spot, one)));
    const session = turn.hints.group ?? summaryPlace(index, thread);
    if (session === undefined || !addPassages(index, session, message.text, spot)) continue;
    early.push(...findEarlyRequests(index, [summaryKey(session)], exchange, (one) => fitsSummary(index, spot, one)));
  }
  return { ids: issued, early, spot: first };
}

/** The keys by which requests wait for a reply that starts later by another server's clock. */
export function wordsKey(echo: string): string {
  return `words ${echo}`;
}

export function turnsKey(turn: string, { numbered }: ContinuationPoint['system']): string {
  return `${turn} ${numbered}`;
}

export function summaryKey(session: string): string {
  return `summary ${session}`;
}

/** The echoes of what the client sent, without the reply and with it, if they differ from those of the recorded path. */
function sentEchoes(
  index: RecordedIndex,
  message: Message,
  node: string,
  history: SentHistory,
): ContinuationPoint['sent'] {
  const asked = history.echo(history.messages.length - 1);
  const above = placeAt(index, index.nodes.get(node)!.parent);
  if (asked.text === above.echo.text) return undefined;
  return { before: asked.text, after: extendSent(asked, message).text };
}

/** Where summaries of conversations without a session are noted: by the system text under which they will be sent. */
export function systemPlace({ dated }: SystemKeys): string {
  return `system:${dated}`;
}

function summaryPlace(index: RecordedIndex, { sumsUp }: IndexThread): string | undefined {
  const head = sumsUp && index.threads.get(sumsUp.thread)?.head;
  return head === undefined ? undefined : systemPlace(systemKeysAt(index, placeAt(index, head).lead));
}

function addSpot(
  index: RecordedIndex,
  echo: string,
  { hints, hintsKey: own }: IndexThread,
  spot: ContinuationPoint,
): void {
  const words = `${echo} ${spot.system.dated}`;
  const key = `${words} ${own}`;
  if (!index.lastUsed.has(key)) {
    const next = index.hintsAt.get(words);
    index.set(index.hintsAt, words, { hints, key: own, count: (next?.count ?? 0) + 1, next });
  }
  index.set(index.spots, key, { spot, next: index.spots.get(key) });
  index.set(index.lastUsed, key, spot);
  index.set(index.anySystem, echo, { spot, next: index.anySystem.get(echo) });
}

function addTurn(index: RecordedIndex, turn: string, spot: ContinuationPoint): void {
  const key = turnsKey(turn, spot.system);
  index.set(index.turns, key, { spot, next: index.turns.get(key) });
  index.set(index.turnAt, spot.node, turn);
}

/** Returns false if the reply is too short to be recognised in a summary. */
function addPassages(index: RecordedIndex, session: string, text: string, spot: ContinuationPoint): boolean {
  const blocks = toPassages(text);
  if (blocks) index.set(index.passages, session, { spot, blocks, next: index.passages.get(session) });
  return blocks !== undefined;
}

/**
 * The clocks of two servers differ, so a request may seem to start before the reply that it continues. Such early
 * requests are noted by the reply that they look for, and are placed behind it if it comes within the tolerance.
 */

/** The clocks of two servers are assumed to differ by less than this. */
export const CLOCK_TOLERANCE_MS = 5000;

interface EarlyRequest {
  readonly exchange: string;
  readonly start: number;
  readonly hints: Hints;
  readonly system: SystemKeys;
  readonly isNamed: boolean;
  /** It was placed under another system text; only a reply under its own is a better match. */
  readonly isOther: boolean;
}

interface EarlyOptions {
  readonly isNamed: boolean | undefined;
  readonly isOther: boolean;
}

/** Early requests with the same key, newest first. */
export interface EarlyList {
  readonly request: EarlyRequest;
  readonly next: EarlyList | undefined;
  readonly length: number;
  /** The length at which those of long ago are dropped. */
  readonly most: number;
}

/** A list is looked through for what can be dropped when it has this length, and then when it has doubled. */
const SHORT_LIST = 64;

/**
 * Notes an early request. Those of long ago are dropped from time to time, so that the cost of one does not depend on how many
 * there are: a program may send the same words a thousand times in a second.
 */
export function noteEarlyRequest(
  index: RecordedIndex,
  { exchange, hints }: Turn,
  keys: readonly string[],
  { system, isNamed = false, isOther = false }: Pick<EarlyRequest, 'system'> & Partial<EarlyOptions>,
): void {
  const { id, start } = exchange;
  const request: EarlyRequest = { exchange: id, start, hints, system, isNamed, isOther };
  for (const key of keys) {
    const there = index.early.get(key);
    const isFull = there !== undefined && there.length >= there.most;
    const next = isFull ? dropEarlier(there, start - 2 * CLOCK_TOLERANCE_MS) : there;
    const length = (next?.length ?? 0) + 1;
    const most = isFull || !next ? Math.max(2 * length, SHORT_LIST) : next.most;
    index.set(index.early, key, { request, next, length, most });
  }
}

/** Exchanges come in the order of their starts, so those of long ago are the rest of the list. */
function dropEarlier(list: EarlyList, since: number): EarlyList | undefined {
  const kept: EarlyRequest[] = [];
  for (let at: EarlyList | undefined = list; at && at.request.start > since; at = at.next) kept.push(at.request);
  const { most } = list;
  return kept.reduceRight<EarlyList | undefined>(
    (next, request) => ({ request, next, length: (next?.length ?? 0) + 1, most }),
    undefined,
  );
}

/** Finds the early requests that look for one of these keys. */
export function findEarlyRequests(
  index: RecordedIndex,
  keys: readonly string[],
  { start, end = start }: Turn['exchange'],
  isFit: (request: EarlyRequest) => boolean,
): string[] {
  const earliest = end - CLOCK_TOLERANCE_MS;
  if (earliest > start) return [];
  return keys.flatMap((key) => {
    const found: string[] = [];
    for (let at = index.early.get(key); at && at.request.start >= earliest; at = at.next)
      if (isFit(at.request)) found.push(at.request.exchange);
    return found.reverse();
  });
}

/** Whether an early request can continue a reply by its words. */
function fitsEarly(index: RecordedIndex, spot: ContinuationPoint, request: EarlyRequest): boolean {
  const { isNamed, hints } = index.threads.get(spot.thread)!;
  const { dated, numbered } = request.system;
  if (isNamed || request.isNamed) return index.placements.get(request.exchange)?.thread === spot.thread;
  if (!hintsAgree(request.hints, hints)) return false;
  return (
    dated === spot.system.dated || (!request.isOther && (numbered === spot.system.numbered || spot.longReplies > 1))
  );
}

/** Whether an early request may be a summary that quotes a reply. */
function fitsSummary(index: RecordedIndex, { thread }: ContinuationPoint, { hints }: EarlyRequest): boolean {
  return samePerson(hints, index.threads.get(thread)!.hints);
}
