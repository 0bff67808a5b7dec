import { dialect, type Message } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { type Hints, hintsKey } from '../hints.ts';
import type { Turn } from '../read-exchange.ts';
import { questionBefore, toPassages, turnKey } from './evidence.ts';
import { findByProof, findByQuote, findByTurns, findByWords, findLastResponse } from './find-reply.ts';
import { turnsKey } from './known-replies.ts';
import {
  type ContinuationPoint,
  createRecordedIndex,
  type IndexNode,
  type IndexThread,
  type KnownResponse,
} from './recorded-index.ts';
import type { SentHistory } from './sent-history.ts';

const SYSTEM = { dated: 's', numbered: 'n' };
const person = (name: string, session?: string): Hints => ({
  person: { user: name },
  ...(session && { session: { id: session } }),
});
const turnOf = (hints: Hints = {}, start = 1000, more: object = {}) =>
  ({ exchange: { start }, hints, hintsKey: hintsKey(hints), tools: [], ...more }) as unknown as Turn;

/** A recorded index that is filled by hand. */
function world() {
  const index = createRecordedIndex();
  index.step();
  const thread = (id: string, more: Partial<IndexThread> = {}) => {
    const hints = more.hints ?? {};
    const made = { head: id, touched: 1, hints, hintsKey: hintsKey(hints), isNamed: false, hasTools: false, ...more };
    index.set(index.threads, id, made as IndexThread);
    return id;
  };
  const node = (id: string, parent: string, more: Partial<IndexNode> = {}) =>
    index.set(index.nodes, id, { place: { id, echo: { text: id } }, parent, isReply: true, ...more } as IndexNode);
  const spotOf = (of: string, at = of, more: Partial<ContinuationPoint> = {}): ContinuationPoint => ({
    ...{ thread: of, node: at, ended: 1, longReplies: 0, system: SYSTEM },
    ...more,
  });
  /** A reply with the words `w`, as the newest one. */
  const reply = (of: string, at = of, more: Partial<ContinuationPoint> = {}) => {
    const spot = spotOf(of, at, more);
    const { hints, hintsKey: own } = index.threads.get(of)!;
    const words = `w ${spot.system.dated}`;
    const key = `${words} ${own}`;
    const next = index.hintsAt.get(words);
    if (!index.lastUsed.has(key))
      index.set(index.hintsAt, words, { hints, key: own, count: (next?.count ?? 0) + 1, next });
    index.set(index.spots, key, { spot, next: index.spots.get(key) });
    index.set(index.lastUsed, key, spot);
    index.set(index.anySystem, 'w', { spot, next: index.anySystem.get('w') });
  };
  const continued = (of: string, at = of) =>
    index.set(index.continued, `${of} ${at}`, { id: 'x', start: 1, outcome: 'done' });
  return { index, thread, node, spotOf, reply, continued };
}

describe('by words', () => {
  const history = (system = SYSTEM) =>
    ({
      messages: [0, 1, 2],
      replyBefore: (end: number) => (end > 1 ? 1 : -1),
      echo: () => ({ text: 'w' }),
      system,
    }) as unknown as SentHistory;
  const found = ({ index }: ReturnType<typeof world>, turn = turnOf(), system = SYSTEM) =>
    findByWords(index, history(system), turn)?.spot.thread;

  test('a request without hints goes on in the thread of the one person, also of several', () => {
    const made = world();
    for (const id of ['a', 'b']) {
      made.thread(id, { hints: person('p'), touched: 5 });
      made.reply(id);
    }
    expect(found(made)).toBe('b');
    made.thread('c', { hints: person('q') });
    made.reply('c');
    expect(found(made)).toBeUndefined();
    expect(found(made, turnOf(person('q')))).toBe('c');
    expect(found(made, turnOf(person('r')))).toBeUndefined();
  });

  test.each([
    [1, 2, 'b'],
    [2, 1, 'a'],
  ])('of threads with other hints that agree the one that was used last counts: %i, %i', (a, b, last) => {
    for (const order of ['ab', 'ba']) {
      const made = world();
      made.thread('a', { hints: person('p'), touched: a });
      made.thread('b', { hints: person('p', 's'), touched: b });
      for (const id of order) made.reply(id);
      expect(found(made), order).toBe(last);
    }
  });

  test('a thread that ends there comes before one that was used later and goes on', () => {
    for (const order of ['ab', 'ba']) {
      const made = world();
      made.thread('a', { hints: person('p'), touched: 1 });
      made.thread('b', { hints: person('p', 's'), touched: 2, head: 'elsewhere' });
      made.continued('b');
      for (const id of order) made.reply(id);
      expect(found(made), order).toBe('a');
    }
  });

  test('first counts a thread that ends there, then a branch, then the reply that was used last', () => {
    const made = world();
    const { index, thread, reply, continued } = made;
    thread('used', { head: 'elsewhere' });
    reply('used');
    continued('used');
    expect(found(made)).toBe('used');
    thread('tip', { head: 'elsewhere' });
    reply('tip');
    thread('newer', { head: 'elsewhere' });
    reply('newer');
    continued('newer');
    expect(found(made)).toBe('tip');
    thread('head');
    reply('head');
    thread('second', { head: 'elsewhere' });
    reply('second');
    expect(found(made)).toBe('head');
    continued('head');
    thread('head', { head: 'elsewhere' });
    expect(found(made)).toBe('second');
    continued('second');
    expect(found(made)).toBe('tip');
    continued('tip');
    index.set(index.lastUsed, `w s ${hintsKey({})}`, made.spotOf('newer'));
    expect(found(made)).toBe('newer');
  });

  test('threads behind those that go on are not forgotten when others are looked for', () => {
    const made = world();
    for (const id of ['third', 'second', 'gone', 'first']) {
      made.thread(id, { head: 'elsewhere' });
      made.reply(id);
    }
    made.continued('gone');
    for (const id of ['first', 'second', 'third']) {
      expect([found(made), found(made)]).toEqual([id, id]);
      made.continued(id);
    }
  });

  test('a reply counts up to five seconds before it has ended', () => {
    const made = world();
    made.thread('a');
    made.reply('a', 'a', { ended: 6000 });
    expect(found(made, turnOf({}, 1000))).toBe('a');
    expect(found(made, turnOf({}, 999))).toBeUndefined();
  });

  test('up to 256 persons who begin alike are compared one by one', () => {
    const made = world();
    for (let at = 0; at < 256; at++) {
      if (at === 9) continue;
      made.thread(`t${at}`, { hints: person(`p${at}`, at === 7 ? undefined : 's') });
      made.reply(`t${at}`);
    }
    // Their own hints tell these two from the others, but not from each other.
    made.thread('t9', { hints: { person: { user: 'p8' }, session: { other: 's' } }, touched: 2 });
    made.reply('t9');
    expect(found(made, turnOf(person('p8')))).toBe('t9');
    const both = [turnOf(person('p3')), turnOf(person('p7', 'own'))];
    expect(both.map((turn) => found(made, turn))).toEqual(['t3', 't7']);
    expect(found(made, turnOf(person('p3')), { dated: 'other', numbered: 'n' })).toBe('t3');
    made.thread('more', { hints: person('more', 's') });
    made.reply('more');
    // From then on only those count that name nothing which the request does not name.
    expect(both.map((turn) => found(made, turn))).toEqual([undefined, 't7']);
    expect(found(made, turnOf(person('p3')), { dated: 'other', numbered: 'n' })).toBeUndefined();
  });
});

describe('by turns', () => {
  const read = (...messages: readonly object[]): readonly Message[] =>
    dialect('openai-chat').readRequest(JSON.stringify({ model: 'm', messages }), {}).messages;
  const talk = (count: number) =>
    Array.from({ length: count }, (_, at) => [
      { role: 'user', content: `Q${at}` },
      { role: 'assistant', content: `A${at}` },
    ]).flat();
  const keyAt = (messages: readonly Message[], at: number) => turnKey(questionBefore(messages, at), messages[at]!);
  const historyOf = (messages: readonly Message[]) =>
    ({
      messages,
      replyBefore(end: number) {
        let at = end - 1;
        while (at >= 0 && messages[at]!.role !== 'assistant') at -= 1;
        return at;
      },
      system: SYSTEM,
    }) as unknown as SentHistory;
  const [WINDOW, LONGER] = [read(...talk(2)), read(...talk(3))];

  /** A thread with the two turns of the window: node `1` above node `2`, with the name of the thread before them. */
  function addWindow(made: ReturnType<typeof world>, id: string, spot: Partial<ContinuationPoint> = {}, at = id): void {
    const { index, node, spotOf } = made;
    node(`${at}1`, '');
    node(`${at}question`, `${at}1`, { isReply: false });
    node(`${at}2`, `${at}question`);
    index.set(index.turnAt, `${at}1`, keyAt(WINDOW, 1));
    const key = turnsKey(keyAt(WINDOW, 3), SYSTEM);
    index.set(index.turns, key, { spot: spotOf(id, `${at}2`, spot), next: index.turns.get(key) });
  }
  const found = ({ index }: ReturnType<typeof world>, messages = WINDOW, turn = turnOf()) =>
    findByTurns(index, historyOf(messages), turn);

  test('the last two turns of a thread lead to it, also if a turn follows that it does not have', () => {
    const made = world();
    made.thread('a');
    addWindow(made, 'a');
    expect(found(made)).toMatchObject({ at: 3, spot: { thread: 'a' } });
    expect(found(made, LONGER)).toMatchObject({ at: 3, spot: { thread: 'a' } });
    expect(found(made, WINDOW.slice(2))).toBeUndefined();
  });

  test('one turn never does, also below a reply whose question is not known', () => {
    const made = world();
    made.thread('a');
    addWindow(made, 'a');
    made.node('polled', '');
    made.node('a1', 'polled');
    expect(found(made, WINDOW.slice(2))).toBeUndefined();
  });

  test.each([
    ['has a name', { isNamed: true }, turnOf()],
    ['is of another person', { hints: person('p') }, turnOf(person('q'))],
    ['is of another session', { hints: person('p', 's') }, turnOf(person('p', 't'))],
    ['got the reply only later', {}, turnOf({}, -5000)],
  ])('they do not lead to a thread that %s', (_what, more, turn) => {
    const made = world();
    made.thread('a', more);
    addWindow(made, 'a');
    expect(found(made, WINDOW, turn)).toBeUndefined();
  });

  test('that two threads have on two paths lead to neither, unless one of them has the same system text', () => {
    const made = world();
    const other = { dated: 'other', numbered: 'n' };
    for (const id of ['a', 'b']) made.thread(id);
    addWindow(made, 'a', { system: other });
    expect(found(made)).toMatchObject({ spot: { thread: 'a' } });
    addWindow(made, 'b', { system: other });
    expect(found(made)).toBeUndefined();
    made.thread('c');
    addWindow(made, 'c');
    made.thread('d');
    addWindow(made, 'd', { system: other });
    expect(found(made)).toMatchObject({ spot: { thread: 'c' } });
    made.thread('e');
    addWindow(made, 'e');
    expect(found(made)).toBeUndefined();
  });

  test('that one thread has twice, or two threads share, lead to the newest', () => {
    const made = world();
    for (const id of ['a', 'b']) made.thread(id);
    addWindow(made, 'a', {}, 'x');
    addWindow(made, 'a', {}, 'y');
    expect(found(made)).toMatchObject({ spot: { node: 'y2' } });
    const shared = world();
    for (const id of ['a', 'b']) shared.thread(id);
    addWindow(shared, 'a', {}, 'x');
    addWindow(shared, 'b', {}, 'x');
    expect(found(shared)).toMatchObject({ spot: { thread: 'b', node: 'x2' } });
  });

  test('that 257 threads have are not compared', () => {
    const made = world();
    made.thread('a');
    for (let at = 0; at < 256; at++) addWindow(made, 'a', {}, `x${at}`);
    expect(found(made)).toMatchObject({ spot: { thread: 'a' } });
    addWindow(made, 'a', {}, 'one more');
    expect(found(made)).toBeUndefined();
  });

  test('are looked for among the last fifty', () => {
    const made = world();
    made.thread('a');
    addWindow(made, 'a');
    expect(found(made, read(...talk(50)))).toMatchObject({ at: 3 });
    expect(found(made, read(...talk(51)))).toBeUndefined();
  });
});

describe('by a quote', () => {
  const REPLY = Array.from({ length: 60 }, (_, at) => `It said ${at * at}.`).join(' ');
  const message = (role: string, text: string) => ({ role, text });
  const historyOf = (...messages: readonly object[]) =>
    ({ lead: 0, messages, system: SYSTEM }) as unknown as SentHistory;
  const hints: Hints = { group: 's', person: { user: 'p' } };
  const made = (more: Partial<IndexThread> = {}) => {
    const all = world();
    const { index } = all;
    all.thread('a', { hints, ...more });
    for (const [place, of] of [
      ['s', 'a'],
      ['system:s', 'a'],
    ] as const)
      index.set(index.passages, place, {
        ...{ spot: all.spotOf(of), blocks: toPassages(REPLY)! },
        next: index.passages.get(place),
      });
    return all;
  };
  const found = ({ index }: ReturnType<typeof world>, messages: readonly object[], more: object = {}, of = hints) =>
    findByQuote(index, historyOf(...messages), turnOf(of, 1000, more));
  const question = message('user', `I wonder what ${'x'.repeat(200)} means`);

  test('a text of a user leads to the conversation that it quotes', () => {
    expect(found(made(), [question, message('user', `Before: ${REPLY}`)])).toMatchObject({ thread: 'a', at: 1 });
    expect(found(made(), [message('user', REPLY.slice(0, 200))])).toMatchObject({ thread: 'a', at: 0 });
    expect(found(made(), [message('user', REPLY)], {}, {})).toMatchObject({ thread: 'a' });
  });

  test.each([
    ['that quotes nothing', [question]],
    ['that is shorter than 200 characters', [message('user', REPLY.slice(0, 199))]],
    ['that a tool or a program wrote', [message('tool', REPLY), message('system', REPLY)]],
    ['that a model wrote, who may say the same twice', [message('assistant', REPLY)]],
  ])('a text leads nowhere %s', (_what, messages) => {
    expect(found(made(), messages)).toBeUndefined();
  });

  test('it leads nowhere in a session without long replies', () => {
    expect(found(made(), [message('user', REPLY)], {}, { group: 'other' })).toBeUndefined();
  });

  test('it leads neither to another person nor to an agent with other tools', () => {
    const messages = [message('user', REPLY)];
    expect(found(made(), messages, {}, { group: 's', person: { user: 'q' } })).toBeUndefined();
    expect(found(made(), messages, { tools: [{}] })).toBeUndefined();
    expect(found(made({ hasTools: true }), messages)).toBeUndefined();
    expect(found(made({ hasTools: true }), messages, { tools: [{}] })).toMatchObject({ thread: 'a' });
  });

  test('a summary leads to what it sums up, whoever says it', () => {
    const all = made({ sumsUp: { thread: 'summed', node: 'n' } });
    all.thread('summed', { hints });
    for (const role of ['user', 'assistant'])
      expect(found(all, [message(role, REPLY)])).toMatchObject({ thread: 'summed', node: 'n', spot: { thread: 'a' } });
  });
});

describe('by an issued id', () => {
  /** Replies at 1 and 3; the messages before `exact` are known to the byte. */
  const historyOf = (issued: Readonly<Record<number, readonly string[]>>, exact = 0) =>
    ({
      messages: [0, 1, 2, 3, 4],
      isReply: (at: number) => at === 1 || at === 3,
      issued: (at: number) => issued[at] ?? [],
      nodeAt: (at: number) =>
        at < exact ? { place: { id: `n${at}`, depth: at + 1 }, prover: at >= 1 ? 'n1' : undefined } : undefined,
    }) as unknown as SentHistory;
  const made = (hints: Hints = {}) => {
    const all = world();
    all.thread('a', { hints });
    all.node('n1', '', { place: { id: 'n1', depth: 2 } as IndexNode['place'] });
    all.index.set(all.index.proofs, 'one', all.spotOf('a', 'n1'));
    all.index.set(all.index.proofs, 'twice', 'several');
    return all.index;
  };

  test.each([0, 1, 2, 3, 4, 5])('the last reply that proves something is found, if %i messages are known', (exact) => {
    expect(findByProof(made(), historyOf({ 1: ['none', 'one'], 3: ['none'] }, exact), {})).toMatchObject({ at: 1 });
  });

  test('an id that was issued twice, in no reply, or to another person proves nothing', () => {
    expect(findByProof(made(), historyOf({ 1: ['twice'] }), {})).toBeUndefined();
    expect(findByProof(made(), historyOf({ 2: ['one'] }), {})).toBeUndefined();
    expect(findByProof(made(person('p')), historyOf({ 1: ['one'] }), person('q'))).toBeUndefined();
  });
});

describe('by the name of the last response', () => {
  const read = dialect('openai-chat').readRequest(
    JSON.stringify({ model: 'm', messages: ['user', 'assistant', 'user'].map((role) => ({ role, content: role })) }),
    {},
  ).messages;
  const history = (echo: string) =>
    ({
      messages: read,
      replyBefore: (end: number) => (end > 1 ? 1 : -1),
      echo: () => ({ text: echo }),
    }) as unknown as SentHistory;
  const made = (known: Partial<KnownResponse> = {}) => {
    const all = world();
    all.thread('a', { hints: person('p') });
    all.node('n', '');
    all.index.set(all.index.turnAt, 'n', turnKey(questionBefore(read, 1), read[1]!));
    const response = { thread: 'a', node: 'n', spot: all.spotOf('a', 'n'), ...known };
    all.index.set(all.index.responses, 'r', response as unknown as KnownResponse);
    return all.index;
  };
  const turn = (last = 'r', hints = person('p')) => turnOf(hints, 1000, { last });

  test('it is found if the history has its words, or its turn', () => {
    expect(findLastResponse(made(), history('n'), turn())).toMatchObject({ at: 1, spot: { thread: 'a' } });
    expect(findLastResponse(made(), history('other'), turn())).toMatchObject({ at: 1 });
    const index = made();
    index.set(index.turnAt, 'n', 'other');
    expect(findLastResponse(index, history('n'), turn())).toMatchObject({ at: 1 });
    expect(findLastResponse(index, history('other'), turn())).toBeUndefined();
  });

  test('it is not found for another person, under another name, and without a reply', () => {
    expect(findLastResponse(made(), history('n'), turn('r', person('q')))).toBeUndefined();
    expect(findLastResponse(made(), history('n'), turn('x'))).toBeUndefined();
    expect(findLastResponse(made(), history('n'), turnOf(person('p')))).toBeUndefined();
    expect(findLastResponse(made({ node: undefined, spot: undefined }), history('n'), turn())).toBeUndefined();
    expect(findLastResponse(made({ thread: 'gone' }), history('n'), turn())).toBeUndefined();
  });
});
