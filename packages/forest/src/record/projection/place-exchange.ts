import type { Checkpoint, Message } from '@skein/core';
import { toolsBody } from '../../engine/tools.ts';
import { type TakeFacts, takeFor } from '../../forest/write/append.ts';
import { makeRecords, type Place } from '../../forest/write/append-point.ts';
import { type BodyRecord, nodeId, ROOT, type StoreRecord, sha256, type TakeContext } from '../../model/index.ts';
import type { Exchange } from '../exchange.ts';
import { type Landing, RULES } from '../placement.ts';
import type { Answer, Poll, Reading, Turn } from '../read-exchange.ts';
import { issuedIds } from './evidence.ts';
import { indexReplies, setThread } from './known-replies.ts';
import {
  awaitKey,
  findThread,
  goesOnFrom,
  goneOnEarly,
  isCut,
  rememberCut,
  responseKey,
  retriedEarly,
  serverKept,
} from './placement-rules.ts';
import { addNode, type Continuation, type KnownResponse, placeAt, type RecordedIndex } from './recorded-index.ts';
import { SentHistory } from './sent-history.ts';
import { isSideCall } from './side-calls.ts';

/** What a step of the projection comes to. */
export interface Step extends Placed {
  /** Exchanges before this one that go on from it: they belong behind it. */
  readonly behind: readonly string[];
}

/**
 * One step of the projection: gives an exchange its place among those before it. What comes of all exchanges depends on
 * them and on their order alone. The rules are numbered in docs/recording.md.
 */
export function placeExchange(index: RecordedIndex, reading: Reading): Step {
  const { id } = reading.exchange;
  const { landing: place, records, checkpoint, issued, early } = placeReading(index, reading);
  const landing = { rules: RULES, ...place };
  index.set(index.landings, id, landing);
  const behind = new Set(early);
  for (const key of issued) for (const waiting of index.awaiting.get(key) ?? []) behind.add(waiting);
  return { exchange: id, landing, records, behind: [...behind], ...(checkpoint && { checkpoint }) };
}

function placeReading(index: RecordedIndex, reading: Reading): Outcome {
  if (reading.kind === 'turn') return placeTurn(index, reading);
  if (reading.kind === 'poll') return placePoll(index, reading);
  return { landing: { state: 'nothing', why: reading.why }, records: [], issued: [], early: [] };
}

type Outcome = Pick<Placed, 'landing' | 'records' | 'checkpoint'> & {
  /** What is known from now on, for those who wait for it. */
  readonly issued: readonly string[];
  /** Exchanges that came too early for it, by the clock of another server. */
  readonly early: readonly string[];
};

function placeTurn(index: RecordedIndex, turn: Turn): Outcome {
  const { exchange, answer, conversation } = turn;
  const kept = serverKept(index, turn);
  const isWhole = kept === undefined || kept.unrecorded !== undefined;
  // Behind a history that the server keeps, the request has only what is new.
  const history = new SentHistory(index, isWhole ? turn : { system: undefined, messages: turn.messages });
  const finding = kept ?? findThread(index, history, turn);
  const { thread, place, matched, compaction, unrecorded } = finding;
  const before = index.threads.get(thread);
  const take = {
    via: 'record' as const,
    author: 'unknown' as const,
    at: exchange.start,
    exchange: exchange.id,
    thread,
  };
  const grown = growPath(index, place, history.messages.slice(matched), take);
  const leadId = isWhole ? history.leadId : leadNode(turn);
  const otherSystem = grown.end.lead !== leadId;
  const { context, bodies } = contextOf(turn, otherSystem);
  const facts = factsOf(turn);
  const reply = { turn: facts, brought: exchange, below: grown.end, thread, otherSystem, context };
  const { ids, records } = placeReply(index, answer, reply);
  const [node, ...alternatives] = ids;
  const head = node ?? grown.end.id;
  const state = answer.pending ? 'pending' : isCut(turn) ? 'cut' : 'whole';
  setThread(index, turn, finding, { head, isSide: !before && isSideCall(turn) });
  const gone = goesOnFrom(history, finding);
  const sameBefore = gone === undefined ? undefined : index.continued.get(`${thread} ${gone}`);
  if (gone !== undefined) index.set(index.continued, `${thread} ${gone}`, continuationOf(exchange));
  const messages = answer.replies.map(({ message }) => message);
  const issued = indexReplies(index, { turn, thread, leadId, sent: { history, finding }, messages, ids });
  const { responseId } = answer;
  if (responseId !== undefined)
    index.set(index.responses, responseId, { below: grown.end.id, node, state, turn: facts, thread, context });
  if (conversation !== undefined)
    index.set(index.conversations, conversation, { response: responseId, node: head, thread });
  const cutEarly =
    state === 'cut'
      ? [
          ...rememberCut(index, turn, { thread, parent: grown.end.id, spot: finding.spot }),
          ...retriedEarly(turn, sameBefore),
        ]
      : [];
  const landing: PlacementDraft = { state: 'landed', thread, parent: grown.end.id };
  if (node !== undefined) landing.node = node;
  if (alternatives.length > 0) landing.alternatives = alternatives;
  landing.added = grown.ids;
  landing.by = finding.by;
  landing.found = finding.found;
  landing.matched = matched;
  if (otherSystem) landing.otherSystem = true;
  if (compaction) landing.compacted = { messages: compaction.upTo, sentInstead: compaction.replacement.length };
  if (unrecorded !== undefined) landing.unrecorded = unrecorded;
  landing.way = !before ? 'starts' : before.head === place.id ? 'continues' : 'branches';
  landing.stop = answer.stop;
  return {
    early: [...issued.early, ...cutEarly, ...goneOnEarly(index, turn, thread, ids)],
    issued: [...issued.ids, ...(responseId === undefined ? [] : responseKeys(responseId, answer.pending))],
    records: [...bodies, ...grown.records, ...records],
    landing,
    ...(compaction && { checkpoint: { node: head, thread, checkpoint: compaction } }),
  };
}

/** Filled member by member: every exchange makes one, and spreading a part for each member costs more than all the rest. */
type PlacementDraft = { -readonly [Name in keyof Landing]: Landing[Name] };

function pollKey(id: string): string {
  return `poll ${id}`;
}

function responseKeys(id: string, isPending: boolean): string[] {
  return [pollKey(id), ...(isPending ? [] : [responseKey(id)])];
}

/** A response that was asked for before: its reply hangs below the history of that request. */
function placePoll(index: RecordedIndex, poll: Poll): Outcome {
  const { exchange, responseId, answer } = poll;
  const known = index.responses.get(responseId);
  if (!known) {
    awaitKey(index, pollKey(responseId), exchange.id);
    return { landing: { state: 'waiting', why: responseId }, records: [], issued: [], early: [] };
  }
  const landing = { state: 'landed' as const, thread: known.thread, parent: known.below, stop: answer.stop };
  if (answer.pending || known.state === 'whole') {
    const node = known.node === undefined ? {} : { node: known.node };
    return { landing: { ...landing, ...node }, records: [], issued: [], early: [] };
  }
  const below = placeAt(index, known.below);
  const otherSystem = index.landings.get(known.turn.exchange.id)?.otherSystem === true;
  const { turn, thread: id, context } = known;
  const reply = { turn, brought: exchange, below, thread: id, otherSystem, context };
  const { ids, records } = placeReply(index, answer, reply);
  const [node] = ids;
  const head = node ?? known.below;
  const thread = index.threads.get(id)!;
  index.set(index.threads, id, { ...thread, head, touched: Math.max(thread.touched, exchange.end ?? exchange.start) });
  const messages = answer.replies.map(({ message }) => message);
  const issued = indexReplies(index, {
    turn: { ...turn, exchange },
    thread: id,
    leadId: leadNode(turn),
    messages,
    ids,
  });
  const state = answer.stop.reason === 'cut' ? 'cut' : 'whole';
  index.set(index.responses, responseId, { ...known, node, state });
  return {
    issued: [...issued.ids, responseKey(responseId)],
    early: issued.early,
    records,
    landing: { ...landing, ...(node !== undefined && { node }), way: 'continues' },
  };
}

/** What later exchanges need of a request: not its history. */
function factsOf({ kind, exchange, params, model, previous, conversation, hints, lead }: Turn): KnownResponse['turn'] {
  return { kind, exchange, params, model, previous, conversation, hints, lead };
}

/** What the request had beside its messages, and the texts that this names. */
function contextOf(
  { lead, tools }: Turn,
  replacesLead: boolean,
): { readonly context: TakeContext; readonly bodies: readonly BodyRecord[] } {
  const texts = lead.map(({ raw }): BodyRecord => ({ k: 'body', digest: sha256(raw), text: raw }));
  const toolTexts = toolsBody(tools);
  const system = lead.map(({ origin }, at) => ({ dialect: origin.dialect, body: texts[at]!.digest }));
  return {
    context: { system, ...(replacesLead && { replacesLead }), ...(toolTexts && { tools: toolTexts.digest }) },
    bodies: [...texts, ...(toolTexts ? [toolTexts] : [])],
  };
}

/** No more of an exchange than is asked for later: it is kept for every turn. */
function continuationOf({ id, start, outcome, requestSha256 }: Exchange): Continuation {
  return { id, start, outcome, ...(requestSha256 !== undefined && { requestSha256 }) };
}

/** The node that the system texts at the front of a request would end with. */
function leadNode({ lead }: Pick<Turn, 'lead'>): string {
  return lead.reduce((id, { origin, raw }) => nodeId(id, origin.dialect, sha256(raw)), ROOT);
}

interface ReplyTo {
  readonly turn: KnownResponse['turn'];
  /** The exchange that brought the reply: the one that asked, or a later one. */
  readonly brought: Exchange;
  readonly below: Place;
  readonly thread: string;
  readonly otherSystem: boolean;
  readonly context: TakeContext;
}

/** Hangs a reply and its alternatives below the history they answer. */
function placeReply(
  index: RecordedIndex,
  answer: Answer,
  { turn, brought, below, thread, otherSystem, context }: ReplyTo,
): { readonly ids: readonly string[]; readonly records: readonly StoreRecord[] } {
  const ids: string[] = [];
  const records: StoreRecord[] = [];
  if (answer.replies.length === 0) return { ids, records };
  const envelope = sha256(answer.envelope);
  records.push({ k: 'body', digest: envelope, text: answer.envelope });
  for (const [at, { message, stop }] of answer.replies.entries()) {
    const take: TakeDraft = {
      via: 'record',
      author: 'model',
      at: brought.end ?? brought.start,
      exchange: turn.exchange.id,
      model: message.origin.model ?? turn.model ?? '',
      stop,
      thread,
      context,
      envelope,
      // What was signed under another system text is bound to a prefix that this path does not have.
      origin: otherSystem ? { ...message.origin, prefix: `recorded:${turn.exchange.id}` } : message.origin,
    };
    addFacts(take, turn, brought, otherSystem);
    // What was spent is said once: of the reply, not of each alternative.
    if (at === 0 && answer.usage) take.usage = answer.usage;
    // Choices of one moment stay in their order.
    const grown = growPath(index, below, [message], take, take.at + at / 1000);
    ids.push(...grown.ids);
    records.push(...grown.records);
  }
  return { ids, records };
}

/** Filled member by member: every exchange makes one, and spreading a part for each member costs more than all the rest. */
type TakeDraft = { -readonly [Name in keyof TakeFacts]: TakeFacts[Name] } & { at: number };

function addFacts(
  take: TakeDraft,
  { exchange, params }: ReplyTo['turn'],
  brought: Exchange,
  otherSystem: boolean,
): void {
  const { start, firstByte, end, provider, tags } = exchange;
  if (provider !== undefined) take.provider = provider;
  if (Object.keys(params).length > 0) take.params = { ...params };
  if (firstByte !== undefined) take.firstEventMs = firstByte - start;
  if (end !== undefined) take.durationMs = (brought.end ?? end) - start;
  const requestId = requestIdIn(brought.responseHeaders ?? {});
  if (requestId !== undefined) take.requestId = requestId;
  if (otherSystem || tags.length > 0 || brought !== exchange)
    take.extra = {
      ...(otherSystem && { otherSystem }),
      ...(tags.length > 0 && { tags }),
      ...(brought !== exchange && { broughtBy: brought.id }),
    };
}

function requestIdIn(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) if (/request-?id$/.test(name)) return headers[name];
  return undefined;
}

/** What placing an exchange comes to: where it landed, and what is to be stored for that. */
export interface Placed {
  readonly exchange: string;
  readonly landing: Landing;
  readonly records: readonly StoreRecord[];
  /** The client had shortened its history. */
  readonly checkpoint?: { readonly node: string; readonly thread: string; readonly checkpoint: Checkpoint };
}

/** Hangs messages below a place, one below the other. Nodes that are there already get one more take. */
function growPath(
  index: RecordedIndex,
  place: Place,
  messages: readonly Message[],
  take: TakeFacts & { readonly at: number },
  at = take.at,
): { readonly end: Place; readonly ids: readonly string[]; readonly records: readonly StoreRecord[] } {
  const records: StoreRecord[] = [];
  const ids: string[] = [];
  let end = place;
  for (const message of messages) {
    // What is known is not read again.
    const id = nodeId(end.id, message.origin.dialect, sha256(message.raw));
    const known = index.nodes.get(id);
    if (known) {
      records.push(takeFor(message, id, take));
      end = known.place;
    } else {
      const { node, body, next } = makeRecords(end, message, at, id);
      const isReply = message.role === 'assistant';
      const issued = isReply ? issuedIds(message) : [];
      const prover = issued.length > 0 ? id : index.nodes.get(end.id)?.prover;
      addNode(index, { place: next, parent: end.id, body: node.body, at, isReply, issued, prover });
      records.push(body, node, takeFor(message, id, take));
      end = next;
    }
    ids.push(id);
  }
  return { end, ids, records };
}
