// Compares the placement of exchanges with the correct one. Does not know the placement rules.

import { SAME_TURNS } from './talk.mjs';

/** @import { SimulatedExchange } from './conversations.mjs' */

/** Nothing in the request tells it from one of theirs. */
const JOINED = `${SAME_TURNS}: it joined one of those`;

/**
 * @typedef {object} Verdict
 * @property {number} exchanges
 * @property {number} threads
 * @property {readonly string[]} foreign exchanges in a thread that is not theirs
 * @property {readonly string[]} unplaced answers without a place
 * @property {readonly string[]} split exchanges that began a thread although a name, a proof, words or a retry tie them to one
 * @property {Readonly<Record<string, number>>} unknowable the same where nothing does, by reason
 * @property {readonly string[]} unlinked threads that are not in the session of their program
 */

/**
 * @param {readonly SimulatedExchange[]} exchanges in the order of their starts
 * @param {(index: number) => { thread: string | undefined, session: string | undefined }} placeOf
 * @returns {Verdict}
 */
export function judge(exchanges, placeOf) {
  /** @type {Map<string, SimulatedExchange[]>} */
  const threads = new Map();
  /** @type {string[]} */
  const foreign = [];
  /** @type {string[]} */
  const unplaced = [];
  /** @type {string[]} */
  const split = [];
  /** @type {Record<string, number>} */
  const unknowable = {};
  const answered = exchanges.filter(({ status }) => status === 200);
  for (const exchange of answered) {
    const { thread } = placeOf(exchange.index);
    if (thread === undefined) unplaced.push(described(exchange));
    else threads.set(thread, [...(threads.get(thread) ?? []), exchange]);
  }
  const takenOver = new Set([...threads.values()].flatMap(takenOverBodies));
  for (const [thread, members] of threads) {
    const replies = new Set(members.flatMap(({ truth }) => truth.replies));
    for (const [at, exchange] of members.entries()) {
      const { follows, evidence, conversation } = exchange.truth;
      const others = members.filter((one) => one !== exchange);
      const isOwn =
        follows.length > 0
          ? follows.some((key) => replies.has(key))
          : others.some((one) => one.truth.conversation === conversation);
      if (evidence === 'opens') {
        // What was cut in the same words, shortly before, cannot be told from a first try of one's own.
        const before = members.slice(0, at).filter((one) => !isTwin(one, exchange));
        if (before.some((one) => one.truth.conversation !== conversation && !comesBehind(one, exchange)))
          foreign.push(`${described(exchange)} in ${thread} with ${described(before[0])}`);
      } else if (isOwn) continue;
      else if (startsAlone(members, exchange)) {
        const isTaken = evidence === 'retry' && takenOver.has(exchange.body);
        const why = isTaken ? 'a request with equal bytes took over the one that was cut' : evidence;
        if (['name', 'proof', 'words', 'retry'].includes(why)) split.push(described(exchange));
        else unknowable[why] = (unknowable[why] ?? 0) + 1;
      } else if (evidence === SAME_TURNS) unknowable[JOINED] = (unknowable[JOINED] ?? 0) + 1;
      else foreign.push(`${described(exchange)} in ${thread} with ${described(others[0])}`);
    }
  }
  return {
    exchanges: answered.length,
    threads: threads.size,
    foreign,
    unplaced,
    split,
    unknowable,
    unlinked: unlinked(answered, placeOf),
  };
}

/** Bytes that one conversation began with right after another was cut behind them. @param {readonly SimulatedExchange[]} members */
function takenOverBodies(members) {
  return members
    .filter((one, at) =>
      members.slice(0, at).some((cut) => isTwin(cut, one) && cut.truth.conversation !== one.truth.conversation),
    )
    .map(({ body }) => body);
}

/** Whether one of two was cut, and nothing in what was sent tells them apart. @param {SimulatedExchange} cut @param {SimulatedExchange} other */
function isTwin(cut, other) {
  const isCut = cut.outcome === 'cut' || other.outcome === 'cut';
  return isCut && cut.body === other.body && sender(cut) === sender(other);
}

/** What the headers say, the count of retries aside. @param {SimulatedExchange} exchange */
function sender({ headers }) {
  return JSON.stringify(headers.filter(([name]) => name !== 'x-stainless-retry-count').sort());
}

/** What a thread holds behind its first exchange follows that one. @param {SimulatedExchange} one @param {SimulatedExchange} first */
function comesBehind(one, first) {
  return one.truth.follows.some((key) => first.truth.replies.includes(key));
}

/** @param {readonly SimulatedExchange[]} members @param {SimulatedExchange} exchange */
function startsAlone(members, exchange) {
  return (
    members[0] === exchange ||
    members
      .slice(0, members.indexOf(exchange))
      .every(
        (one) =>
          one.truth.conversation === exchange.truth.conversation || comesBehind(one, exchange) || isTwin(one, exchange),
      )
  );
}

/**
 * @param {readonly SimulatedExchange[]} answered
 * @param {(index: number) => { session: string | undefined }} placeOf
 */
function unlinked(answered, placeOf) {
  /** @type {Map<string, string>} */
  const groups = new Map();
  /** @type {string[]} */
  const found = [];
  for (const exchange of answered) {
    const { program } = exchange.truth;
    if (program === undefined) continue;
    const { session = 'none' } = placeOf(exchange.index);
    const first = groups.get(program) ?? session;
    groups.set(program, first);
    if (first !== session || session === 'none') found.push(described(exchange));
  }
  return found;
}

/** @param {SimulatedExchange | undefined} exchange */
function described(exchange) {
  if (!exchange) return 'nothing';
  const { index, truth, server, start, outcome } = exchange;
  return `#${index} ${truth.conversation} of app ${truth.app.id} (${truth.evidence}, ${outcome}, server ${server}, ${start % 100_000_000})`;
}
