import type { Checkpoint, Message } from '@skein/core';
import { makeToolsBody } from '../../engine/index.ts';
import { type AppendPoint, createMessageTake, makeNodeRecords, type TakeFacts } from '../../forest/index.ts';
import { nodeId, ROOT, sha256 } from '../../model/ids.ts';
import type { BodyRecord, StoredText, StoreRecord, TakeContext } from '../../model/records.ts';
import type { Exchange } from '../exchange.ts';
import { PLACEMENT_RULES, type Placement } from '../placement.ts';
import type { Answer, ExchangeContent, Poll, Turn } from '../read-exchange.ts';
import { setAside } from './compactions.ts';
import { readIssuedIds } from './evidence.ts';
import { indexReplies, updateThread } from './known-replies.ts';
import {
  awaitKey,
  findContinuedReply,
  findEarlyContinuations,
  findEarlyRetry,
  findKeptHistory,
  findThread,
  isCut,
  noteCut,
  responseKey,
} from './placement-rules.ts';
import {
  addIndexNode,
  type Continuation,
  type KnownResponse,
  leadsTo,
  placeAt,
  type RecordedIndex,
} from './recorded-index.ts';
import { SentHistory } from './sent-history.ts';
import { isSideCall, isSummaryCall } from './side-calls.ts';

/** A placed exchange and the records that have to be stored for it. */
export interface PlacedExchange {
  readonly exchange: string;
  readonly placement: Placement;
  readonly records: readonly StoreRecord[];
  /** Set if the client compacted its history. */
  readonly checkpoint?: { readonly node: string; readonly thread: string; readonly checkpoint: Checkpoint };
}

/** The result of placing one exchange. */
export interface PlacementStep extends PlacedExchange {
  /** Earlier exchanges that continue this one; they have to be placed after it. */
  readonly behind: readonly string[];
}

/**
 * Places one exchange among those before it: one step of the projection. The tree depends on the exchanges and their
 * order alone. docs/recording.md numbers the rules.
 */
export function placeExchange(index: RecordedIndex, reading: ExchangeContent): PlacementStep {
  const { id } = reading.exchange;
  const { placement: place, records, checkpoint, issued, early } = placeContent(index, reading);
  const placement = { rules: PLACEMENT_RULES, ...place };
  index.set(index.placements, id, placement);
  const behind = new Set(early);
  for (const key of issued) for (const waiting of index.awaiting.get(key) ?? []) behind.add(waiting);
  return { exchange: id, placement, records, behind: [...behind], ...(checkpoint && { checkpoint }) };
}

function placeContent(index: RecordedIndex, reading: ExchangeContent): PlacementResult {
  if (reading.kind === 'turn') return placeTurn(index, reading);
  if (reading.kind === 'poll') return placePoll(index, reading);
  return { placement: { state: 'nothing', why: reading.why }, records: [], issued: [], early: [] };
}

type PlacementResult = Pick<PlacedExchange, 'placement' | 'records' | 'checkpoint'> & {
  /** Keys that are known from now on, for exchanges that wait for them. */
  readonly issued: readonly string[];
  /** Exchanges that continue this one, but started earlier by another server's clock. */
  readonly early: readonly string[];
};

function placeTurn(index: RecordedIndex, turn: Turn): PlacementResult {
  const { exchange, answer, conversation } = turn;
  const kept = findKeptHistory(index, turn);
  const isWhole = kept === undefined || kept.finding.unrecorded !== undefined;
  const history = kept?.history ?? new SentHistory(index, turn);
  const found = kept?.finding ?? findThread(index, history, turn);
  const finding = exchange.thread === undefined && isSummaryCall(turn) ? setAside(index, found, turn) : found;
  const { thread, place, matched, compaction, unrecorded } = finding;
  const before = index.threads.get(thread);
  const take = {
    via: 'record' as const,
    author: 'unknown' as const,
    at: exchange.start,
    exchange: exchange.id,
    thread,
  };
  const grown = appendMessages(index, place, history.messages.slice(matched), take);
  const effective = effectiveContext(turn, finding.kept);
  const leadId = isWhole ? history.leadId : leadNode(effective.system);
  const otherSystem = grown.end.lead !== leadId;
  const context: TakeContext = { ...effective, ...(otherSystem && { replacesLead: true }) };
  const reply = { turn, brought: exchange, below: grown.end, thread, otherSystem, context };
  const { ids, records } = appendReply(index, answer, reply);
  const [node, ...alternatives] = ids;
  const last = node ?? grown.end.id;
  // A warm-up that is sent again, or an earlier turn whose clock was ahead: the conversation goes on where it was.
  const head = before && leadsTo(index, last, before.head) ? before.head : last;
  const state = answer.pending ? 'pending' : isCut(turn) ? 'cut' : 'whole';
  updateThread(index, turn, finding, { head, isSide: !before && isSideCall(turn) });
  const gone = findContinuedReply(history, finding);
  const sameBefore = gone === undefined ? undefined : index.continued.get(`${thread} ${gone}`);
  if (gone !== undefined) index.set(index.continued, `${thread} ${gone}`, toContinuation(exchange));
  const messages = answer.replies.map(({ message }) => message);
  // What the API keeps of the system texts is not known by its words.
  const sentLead = turn.lead.length === context.system.length ? turn.lead : undefined;
  const lead = isWhole ? history.messages.slice(0, history.lead) : sentLead;
  const issued = indexReplies(index, { turn, thread, leadId, lead, sent: { history, finding }, messages, ids });
  const { responseId } = answer;
  if (responseId !== undefined)
    index.set(index.responses, responseId, {
      below: grown.end.id,
      node,
      state,
      turn: requestFacts(turn),
      thread,
      context,
      otherSystem,
      spot: issued.spot,
      besideMessages: context.system.length - leadingMessages(turn, finding.kept).length,
    });
  if (conversation !== undefined)
    index.set(index.conversations, conversation, { response: responseId, node: last, thread });
  const cutEarly =
    state === 'cut'
      ? [
          ...noteCut(index, turn, { thread, parent: grown.end.id, spot: finding.spot }),
          ...findEarlyRetry(turn, sameBefore),
        ]
      : [];
  const placement: PlacementDraft = { state: 'landed', thread, parent: grown.end.id };
  if (node !== undefined) placement.node = node;
  if (alternatives.length > 0) placement.alternatives = alternatives;
  placement.added = grown.ids;
  placement.by = finding.by;
  placement.found = finding.found;
  placement.matched = matched;
  if (otherSystem) placement.otherSystem = true;
  if (compaction) placement.compacted = { messages: compaction.upTo, sentInstead: compaction.replacement.length };
  if (unrecorded !== undefined) placement.unrecorded = unrecorded;
  placement.way = !before ? 'starts' : before.head === place.id ? 'continues' : 'branches';
  placement.stop = answer.stop;
  return {
    early: [...issued.early, ...cutEarly, ...findEarlyContinuations(index, turn, thread, ids)],
    issued: [...issued.ids, ...(responseId === undefined ? [] : responseKeys(responseId, answer.pending))],
    records: [...contextBodies(turn), ...grown.records, ...records],
    placement,
    ...(compaction && { checkpoint: { node: last, thread, checkpoint: compaction } }),
  };
}

/** Filled member by member: every exchange makes one, and spreading a part for each member costs more than all the rest. */
type PlacementDraft = { -readonly [Name in keyof Placement]: Placement[Name] };

function pollKey(id: string): string {
  return `poll ${id}`;
}

function responseKeys(id: string, isPending: boolean): string[] {
  return [pollKey(id), ...(isPending ? [] : [responseKey(id)])];
}

/** Places the reply of a response that an earlier request asked for. */
function placePoll(index: RecordedIndex, poll: Poll): PlacementResult {
  const { exchange, responseId, answer } = poll;
  const known = index.responses.get(responseId);
  if (!known) {
    awaitKey(index, pollKey(responseId), exchange.id);
    return { placement: { state: 'waiting', why: responseId }, records: [], issued: [], early: [] };
  }
  const placement = { state: 'landed' as const, thread: known.thread, parent: known.below, stop: answer.stop };
  if (answer.pending || known.state === 'whole') {
    const node = known.node === undefined ? {} : { node: known.node };
    return { placement: { ...placement, ...node }, records: [], issued: [], early: [] };
  }
  const below = placeAt(index, known.below);
  const { turn, thread: id, context, otherSystem } = known;
  const reply = { turn, brought: exchange, below, thread: id, otherSystem, context };
  const { ids, records } = appendReply(index, answer, reply);
  const [node] = ids;
  const head = node ?? known.below;
  const thread = index.threads.get(id)!;
  index.set(index.threads, id, { ...thread, head, touched: Math.max(thread.touched, exchange.end ?? exchange.start) });
  const messages = answer.replies.map(({ message }) => message);
  const issued = indexReplies(index, {
    turn: { ...turn, exchange },
    thread: id,
    leadId: leadNode(context.system),
    messages,
    ids,
  });
  const state = answer.stop.reason === 'cut' ? 'cut' : 'whole';
  index.set(index.responses, responseId, { ...known, node, state, spot: issued.spot });
  return {
    issued: [...issued.ids, responseKey(responseId)],
    early: issued.early,
    records,
    placement: { ...placement, ...(node !== undefined && { node }), way: 'continues' },
  };
}

/** The facts of a request that later exchanges need, without its history and its headers. */
function requestFacts({ exchange, params, model, hints }: Turn): KnownResponse['turn'] {
  const { requestHeaders: _, responseHeaders: __, ...rest } = exchange;
  return { exchange: { ...rest, requestHeaders: {} }, params, model, hints };
}

/** The system texts and tools that the model got: those of the request, and those that the API keeps for it. */
function effectiveContext(turn: Turn, kept: KnownResponse | undefined): TakeContext {
  const { system, tools, keeps } = turn;
  const isKept = (what: 'system' | 'tools') => kept !== undefined && keeps.includes(what);
  const beside = system
    ? [toStoredText(system)]
    : isKept('system')
      ? kept!.context.system.slice(0, kept!.besideMessages)
      : [];
  const toolsBody = makeToolsBody(tools)?.digest ?? (isKept('tools') ? kept!.context.tools : undefined);
  return {
    system: [...beside, ...leadingMessages(turn, kept)],
    ...(toolsBody !== undefined && { tools: toolsBody }),
  };
}

/** The system texts at the front that are messages of the history. */
function leadingMessages({ system, lead }: Turn, kept: KnownResponse | undefined): readonly StoredText[] {
  if (kept) return kept.context.system.slice(kept.besideMessages);
  return lead.slice(system ? 1 : 0).map(toStoredText);
}

function toStoredText({ origin, raw }: Message): StoredText {
  return { dialect: origin.dialect, body: sha256(raw) };
}

/** The bodies that hold the system texts and the tools of a request. */
function contextBodies({ lead, tools }: Turn): readonly BodyRecord[] {
  const texts = lead.map(({ raw }): BodyRecord => ({ k: 'body', digest: sha256(raw), text: raw }));
  const toolTexts = makeToolsBody(tools);
  return toolTexts ? [...texts, toolTexts] : texts;
}

/** Keeps only what is needed later, because there is one for every turn. */
function toContinuation({ id, start, outcome, requestSha256 }: Exchange): Continuation {
  return { id, start, outcome, ...(requestSha256 !== undefined && { requestSha256 }) };
}

/** The node that the system texts at the front of a request would end with. */
function leadNode(system: readonly StoredText[]): string {
  return system.reduce((id, { dialect, body }) => nodeId(id, dialect, body), ROOT);
}

interface ReplyTarget {
  readonly turn: KnownResponse['turn'];
  /** The exchange that delivered the reply: the one that asked for it, or a later poll. */
  readonly brought: Exchange;
  readonly below: AppendPoint;
  readonly thread: string;
  readonly otherSystem: boolean;
  readonly context: TakeContext;
}

/** Appends a reply and its alternatives to the history that they answer. */
function appendReply(
  index: RecordedIndex,
  answer: Answer,
  { turn, brought, below, thread, otherSystem, context }: ReplyTarget,
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
      stop,
      thread,
      context,
      envelope,
      // Content signed under another system text is bound to a prefix that this path does not have.
      origin: otherSystem ? { ...message.origin, prefix: `recorded:${turn.exchange.id}` } : message.origin,
    };
    // Some protocols name no model.
    const model = message.origin.model ?? turn.model;
    if (model) take.model = model;
    addTakeFacts(take, turn, brought, otherSystem);
    // Usage belongs to the reply, not to each alternative.
    if (at === 0 && answer.usage) take.usage = answer.usage;
    // Keeps the order of choices that arrived at the same time.
    const grown = appendMessages(index, below, [message], take, { at: take.at + at / 1000, isRead: true });
    ids.push(...grown.ids);
    records.push(...grown.records);
  }
  return { ids, records };
}

/** Filled member by member: every exchange makes one, and spreading a part for each member costs more than all the rest. */
type TakeDraft = { -readonly [Name in keyof TakeFacts]: TakeFacts[Name] } & { at: number };

function addTakeFacts(
  take: TakeDraft,
  { exchange, params }: ReplyTarget['turn'],
  brought: Exchange,
  otherSystem: boolean,
): void {
  const { start, firstByte, end, tags, upstream } = exchange;
  const { provider } = upstream ?? exchange;
  if (provider !== undefined) take.provider = provider;
  if (Object.keys(params).length > 0) take.params = { ...params };
  if (firstByte !== undefined) take.firstEventMs = firstByte - start;
  if (end !== undefined) take.durationMs = (brought.end ?? end) - start;
  const requestId = readRequestId(brought.responseHeaders ?? {});
  if (requestId !== undefined) take.requestId = requestId;
  if (otherSystem || tags.length > 0 || brought.id !== exchange.id)
    take.extra = {
      ...(otherSystem && { otherSystem }),
      ...(tags.length > 0 && { tags }),
      ...(brought.id !== exchange.id && { broughtBy: brought.id }),
    };
}

function readRequestId(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name in headers) if (/request-?id$/.test(name)) return headers[name];
  return undefined;
}

/** Appends messages below a position, one after the other. Nodes that exist already get another take. */
function appendMessages(
  index: RecordedIndex,
  place: AppendPoint,
  messages: readonly Message[],
  take: TakeFacts & { readonly at: number },
  /** `isRead`: the messages were parsed, so that their facts are at hand. */
  { at = take.at, isRead = false }: { readonly at?: number; readonly isRead?: boolean } = {},
): { readonly end: AppendPoint; readonly ids: readonly string[]; readonly records: readonly StoreRecord[] } {
  const records: StoreRecord[] = [];
  const ids: string[] = [];
  let end = place;
  for (const message of messages) {
    // Known nodes are not parsed again.
    const id = nodeId(end.id, message.origin.dialect, isRead ? message.facts.digest : sha256(message.raw));
    const known = index.nodes.get(id);
    if (known) {
      records.push(createMessageTake(message, id, take));
      end = known.place;
    } else {
      const { node, body, next } = makeNodeRecords(end, message, at, id);
      const isReply = message.role === 'assistant';
      const issued = isReply ? readIssuedIds(message) : [];
      const prover = issued.length > 0 ? id : index.nodes.get(end.id)?.prover;
      addIndexNode(index, { place: next, parent: end.id, body: node.body, at, isReply, issued, prover });
      records.push(body, node, createMessageTake(message, id, take));
      end = next;
    }
    ids.push(id);
  }
  return { end, ids, records };
}
