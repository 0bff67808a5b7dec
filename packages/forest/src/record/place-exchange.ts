import type { Place } from '../forest/make-records.ts';
import { ROOT_PLACE } from '../forest/place.ts';
import { titleOf } from '../forest/thread-title.ts';
import { nodeId, ROOT, sha256 } from '../model/index.ts';
import { orderOf } from './exchange.ts';
import { matchTree } from './match-tree.ts';
import { placeReply } from './place-reply.ts';
import { growTree, type Placed } from './placed.ts';
import type { Poll, Reading, Turn } from './read-exchange.ts';
import { type KnownResponse, placeAt, type Tree } from './tree.ts';

/**
 * One step of the projection: gives an exchange its place among those before it, and then those that waited for it.
 * What comes of all exchanges depends on them and on their order alone.
 */
export function placeExchange(tree: Tree, reading: Reading): readonly Placed[] {
  const placed: Placed[] = [];
  for (const queue = [reading]; queue.length > 0; ) {
    const { known, ...one } = place(tree, queue.shift()!);
    tree.set(tree.landings, one.exchange, one.landing);
    placed.push(one);
    queue.push(...released(tree, known));
  }
  return placed;
}

/** `known`: the response that is now known, for those who wait for it. */
type Step = Placed & { readonly known?: string | undefined };

function place(tree: Tree, reading: Reading): Step {
  if (reading.kind === 'turn') return placeTurn(tree, reading);
  if (reading.kind === 'poll') return placePoll(tree, reading);
  return { exchange: reading.exchange.id, landing: { state: 'nothing', why: reading.why }, records: [] };
}

function placeTurn(tree: Tree, turn: Turn): Step {
  const { exchange, system, messages, answer, conversation } = turn;
  const base = baseOf(tree, turn);
  if (typeof base === 'string') return wait(tree, turn, base);
  const history = base.id === ROOT && system ? [system, ...messages] : messages;
  const match = matchTree(tree, history, base);
  const thread = threadOf(tree, turn, match.place);
  const before = tree.threads.get(thread);
  const take = { via: 'record' as const, author: 'unknown' as const, at: exchange.start, exchange: exchange.id };
  const grown = growTree(tree, match.place, history.slice(match.matched), thread, take);
  const otherSystem = match.otherSystem || (base.id !== ROOT && base.lead !== leadOf(turn));
  const reply = { turn: factsOf(turn), brought: exchange, below: grown.end, thread, otherSystem };
  const { ids, records } = placeReply(tree, answer, reply);
  const [node, ...alternatives] = ids;
  const head = node ?? grown.end.id;
  setHead(tree, thread, head, turn);
  if (answer.responseId !== undefined) {
    const state = answer.pending ? 'pending' : answer.stop.reason === 'cut' ? 'cut' : 'whole';
    setResponse(tree, answer.responseId, { below: grown.end.id, node, state, turn: reply.turn, thread });
  }
  if (conversation !== undefined)
    tree.set(tree.conversations, conversation, { response: answer.responseId, node: head });
  return {
    exchange: exchange.id,
    known: answer.responseId,
    records: [...grown.records, ...records],
    landing: {
      state: 'landed',
      thread,
      parent: grown.end.id,
      ...(node !== undefined && { node }),
      ...(alternatives.length > 0 && { alternatives }),
      added: grown.ids,
      by: match.by,
      matched: match.matched,
      ...(otherSystem && { otherSystem }),
      way: !before ? 'starts' : before.head === match.place.id ? 'continues' : 'branches',
      stop: answer.stop,
    },
  };
}

/** A response that was asked for before: its reply hangs below the history of that request. */
function placePoll(tree: Tree, poll: Poll): Step {
  const { exchange, responseId, answer } = poll;
  const known = tree.responses.get(responseId);
  if (!known) return wait(tree, poll, responseId);
  const landing = { state: 'landed' as const, thread: known.thread, parent: known.below, stop: answer.stop };
  if (answer.pending || known.state === 'whole') {
    const node = known.node === undefined ? {} : { node: known.node };
    return { exchange: exchange.id, landing: { ...landing, ...node }, records: [] };
  }
  const below = placeAt(tree, known.below);
  const otherSystem = tree.landings.get(known.turn.exchange.id)?.otherSystem === true;
  const reply = { turn: known.turn, brought: exchange, below, thread: known.thread, otherSystem };
  const { ids, records } = placeReply(tree, answer, reply);
  const [node] = ids;
  setHead(tree, known.thread, node ?? known.below, poll);
  setResponse(tree, responseId, { ...known, node, state: answer.stop.reason === 'cut' ? 'cut' : 'whole' });
  return {
    exchange: exchange.id,
    known: responseId,
    records,
    landing: { ...landing, ...(node !== undefined && { node }), way: 'continues' },
  };
}

/** The place that a request goes on from, or the response that has to be known first. */
function baseOf(tree: Tree, { previous, conversation }: Turn): Place | string {
  const kept = conversation === undefined ? undefined : tree.conversations.get(conversation);
  const response = previous ?? kept?.response;
  if (response === undefined) return kept ? placeAt(tree, kept.node) : ROOT_PLACE;
  const known = tree.responses.get(response);
  if (!known || known.state === 'pending') return response;
  return placeAt(tree, known.node ?? known.below);
}

function wait(tree: Tree, reading: Turn | Poll, response: string): Step {
  tree.set(tree.waiting, response, [...(tree.waiting.get(response) ?? []), reading]);
  return { exchange: reading.exchange.id, landing: { state: 'waiting', why: response }, records: [] };
}

function released(tree: Tree, response: string | undefined): readonly Reading[] {
  const waiting = response === undefined ? undefined : tree.waiting.get(response);
  if (response === undefined || !waiting || waiting.length === 0) return [];
  tree.set(tree.waiting, response, []);
  return waiting.toSorted((a, b) => (orderOf(a.exchange) < orderOf(b.exchange) ? -1 : 1));
}

/** The thread of what it goes on from. A system text alone is no conversation: many begin with it. */
function threadOf(tree: Tree, { exchange }: Turn, { id, echo }: Place): string {
  if (exchange.thread !== undefined) return threadId(`name\n${exchange.thread}`);
  return (echo.leading ? undefined : tree.nodes.get(id)?.thread) ?? threadId(`exchange\n${exchange.id}`);
}

function threadId(of: string): string {
  return sha256(`skein-recorded/1\n${of}`).slice(0, 16);
}

function setHead(tree: Tree, thread: string, head: string, reading: Turn | Poll): void {
  const { start, end = start, thread: name } = reading.exchange;
  const there = tree.threads.get(thread);
  const created = there?.created ?? start;
  const title = there?.title ?? name ?? (reading.kind === 'turn' ? titleOf(firstAsked(reading)) : '');
  tree.set(tree.threads, thread, { head, created, touched: Math.max(there?.touched ?? 0, end), title });
}

function firstAsked({ messages }: Turn): string {
  return messages.find(({ role, text }) => role === 'user' && text.trim() !== '')?.text ?? '';
}

function setResponse(tree: Tree, id: string, response: KnownResponse): void {
  tree.set(tree.responses, id, response);
}

/** What later exchanges need of a request: not its history. */
function factsOf({ kind, exchange, params, model, previous, conversation }: Turn): KnownResponse['turn'] {
  return { kind, exchange, params, model, previous, conversation };
}

/** The node that the system text of a request would be. */
function leadOf({ system }: Turn): string {
  return system ? nodeId(ROOT, system.origin.dialect, system.facts.digest) : ROOT;
}
