import { dialect, type Message } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { ECHO_START, extendEcho } from '../../model/echo.ts';
import { type Hints, hintsKey } from '../hints.ts';
import type { Turn } from '../read-exchange.ts';
import { systemKeys } from './evidence.ts';
import {
  CLOCK_TOLERANCE_MS,
  findEarlyRequests,
  indexReplies,
  noteEarlyRequest,
  sessionKey,
  summaryKey,
  turnsKey,
  updateThread,
  wordsKey,
} from './known-replies.ts';
import type { ThreadMatch } from './placement-rules.ts';
import { createRecordedIndex, type IndexNode, type IndexThread, type RecordedIndex } from './recorded-index.ts';
import type { SentHistory } from './sent-history.ts';

const system = { dated: '', numbered: '' };
const at = (start: number) => ({ exchange: { id: `x${start}`, start }, hints: {} }) as unknown as Turn;

describe('early requests with the same words', () => {
  test('all of the last seconds are found, in the order in which they came', () => {
    const index = createRecordedIndex();
    for (let start = 0; start < 20_000; start += 10) noteEarlyRequest(index, at(start), ['words'], { system });
    const found = findEarlyRequests(index, ['words'], at(20_000).exchange, () => true);
    const first = (20_000 - CLOCK_TOLERANCE_MS) / 10;
    expect(found).toEqual(Array.from({ length: 2000 - first }, (_, count) => `x${(first + count) * 10}`));
  });

  test('those of long ago are dropped, also where a program repeats the same words for hours', () => {
    const index = createRecordedIndex();
    for (let start = 0; start < 1_000_000; start += 100) noteEarlyRequest(index, at(start), ['words'], { system });
    expect(index.early.get('words')!.length).toBeLessThanOrEqual((4 * CLOCK_TOLERANCE_MS) / 100 + 2);
  });

  test('noting one leaves the list before as it was, so that it can be undone', () => {
    const index = createRecordedIndex();
    for (let start = 0; start < 5; start++) noteEarlyRequest(index, at(start), ['words'], { system });
    const step = index.step();
    for (let start = 5; start < 500; start++) noteEarlyRequest(index, at(start), ['words'], { system });
    step.undo();
    expect(findEarlyRequests(index, ['words'], at(5).exchange, () => true)).toEqual(['x0', 'x1', 'x2', 'x3', 'x4']);
  });
});

describe('early requests', () => {
  const found = (exchange: object, keys: readonly string[] = ['a', 'b']) => {
    const index = createRecordedIndex();
    for (const start of [1, 2]) noteEarlyRequest(index, at(start), ['a'], { system });
    noteEarlyRequest(index, at(3), ['a', 'b'], { system });
    return findEarlyRequests(index, keys, exchange as Turn['exchange'], ({ exchange }) => exchange !== 'x1');
  };

  test('are found by each key, if they started at most five seconds before the reply had ended', () => {
    expect(found({ start: 2, end: 5002 })).toEqual(['x2', 'x3', 'x3']);
    expect(found({ start: 5003 })).toEqual(['x3', 'x3']);
    expect(found({ start: 5004 })).toEqual([]);
    expect(found({ start: 3, end: 5003 })).toEqual(['x3', 'x3']);
    expect(found({ start: 3, end: 5003 }, ['b', 'c'])).toEqual(['x3']);
  });

  test('are not looked for where the reply took longer than that: they started after it, in its order', () => {
    expect(found({ start: 1, end: 5001 }).length).toBe(3);
    expect(found({ start: 0, end: 5001 })).toEqual([]);
  });

  test('say under which system text they were sent, and whether they have a place already', () => {
    const index = createRecordedIndex();
    noteEarlyRequest(index, at(1), ['a'], { system });
    noteEarlyRequest(index, at(2), ['a'], { system, isNamed: true, isOther: true });
    const [second, first] = [index.early.get('a')!.request, index.early.get('a')!.next!.request];
    expect(first).toEqual({ exchange: 'x1', start: 1, hints: {}, system, isNamed: false, isOther: false });
    expect(second).toEqual({ exchange: 'x2', start: 2, hints: {}, system, isNamed: true, isOther: true });
  });

  test('are looked through for old ones when there are 64, and then when they have doubled', () => {
    const index = createRecordedIndex();
    const lengths: number[] = [];
    for (let count = 0; count < 200; count++) {
      noteEarlyRequest(index, at(count < 100 ? 0 : 10_000 + count), ['a'], { system });
      lengths.push(index.early.get('a')!.length);
    }
    // The 65th finds nothing old; the 129th finds those of the first hundred.
    expect(lengths.slice(60, 68)).toEqual([61, 62, 63, 64, 65, 66, 67, 68]);
    const [longest] = lengths.toSorted((a, b) => b - a);
    expect(longest).toBe(130);
    expect(lengths[130]).toBe(31);
  });
});

test('a session is the same one wherever a program names it, and another one for each agent', () => {
  expect(sessionKey({})).toBeUndefined();
  expect(sessionKey({ session: { a: '1' } })).toBeUndefined();
  const key = sessionKey({ group: 'g', session: { a: '2', b: '1' } });
  expect(sessionKey({ group: 'g', session: { c: '1', d: '2', e: '1' } })).toBe(key);
  const others = [
    sessionKey({ group: 'g', session: { a: '2' } }),
    sessionKey({ group: 'h', session: { a: '2', b: '1' } }),
    sessionKey({ group: 'g', agent: 'x', session: { a: '2', b: '1' } }),
    sessionKey({ group: 'g' }),
    sessionKey({ group: 'g', agent: 'x' }),
    sessionKey({ group: 'gx' }),
  ];
  expect(new Set([key, ...others]).size).toBe(7);
});

describe('a thread', () => {
  const ask = (
    index: RecordedIndex,
    start: number,
    more: { hints?: Hints; words?: string; tools?: number; end?: number; name?: string } = {},
    match: Partial<ThreadMatch> = {},
    isSide = false,
  ) => {
    const { hints = {}, words = '', tools = 0, end, name } = more;
    const content = [{ type: 'text', text: words }];
    const turn = {
      exchange: { id: 'x', start, ...(end !== undefined && { end }), ...(name !== undefined && { thread: name }) },
      ...{ hints, hintsKey: hintsKey(hints), tools: Array.from({ length: tools }) },
      messages: words === '' ? [] : [{ role: 'user', content, text: words }],
    };
    const of = { thread: 't', ...match } as ThreadMatch;
    updateThread(index, turn as unknown as Turn, of, { head: `head ${start}`, isSide });
    return index.threads.get(of.thread)!;
  };
  const begin = () => {
    const index = createRecordedIndex();
    index.step();
    return index;
  };

  test('begins with its first request, and was used when the last one ended', () => {
    const index = begin();
    expect(ask(index, 5)).toMatchObject({ created: 5, touched: 5, head: 'head 5' });
    expect(ask(index, 6, { end: 20 })).toMatchObject({ created: 5, touched: 20, head: 'head 6' });
    expect(ask(index, 7, { end: 10 })).toMatchObject({ created: 5, touched: 20, head: 'head 7' });
  });

  test('has the first words of a person as its title, and its opening from the first request', () => {
    const index = begin();
    expect(ask(index, 1)).toMatchObject({ title: '', opening: '' });
    expect(ask(index, 2, { words: 'Two' })).toMatchObject({ title: 'Two', opening: '' });
    expect(ask(index, 3, { words: 'Three' })).toMatchObject({ title: 'Two', opening: '' });
    const other = begin();
    expect(ask(other, 1, { words: 'One' })).toMatchObject({ title: 'One', opening: 'One' });
    expect(ask(other, 2, { words: 'Two' })).toMatchObject({ title: 'One', opening: 'One' });
    expect(ask(begin(), 1, { words: 'One', name: 'mine' })).toMatchObject({ title: 'mine', opening: 'One' });
  });

  test('has the hints of all its requests', () => {
    const index = begin();
    ask(index, 1, { hints: { person: { a: '1' } } });
    const both = { person: { a: '1', b: '2' } };
    expect(ask(index, 2, { hints: { person: { b: '2' } } })).toMatchObject({ hints: both, hintsKey: hintsKey(both) });
    expect(ask(index, 3, { hints: { person: { b: '2' } } })).toMatchObject({ hints: both, hintsKey: hintsKey(both) });
    expect(ask(index, 4, { hints: both })).toMatchObject({ hints: both, hintsKey: hintsKey(both) });
  });

  test('is what its first request is; a side call that goes on is a conversation', () => {
    const part = (hints: Hints, isSide: boolean) => ask(begin(), 1, { hints }, {}, isSide).part;
    expect(part({}, false)).toBe('main');
    expect(part({}, true)).toBe('side');
    expect(part({ isSubagent: true }, true)).toBe('subagent');
    const index = begin();
    ask(index, 1, {}, {}, true);
    expect(ask(index, 2).part).toBe('main');
    const agent = begin();
    ask(agent, 1, { hints: { isSubagent: true } });
    expect(ask(agent, 2).part).toBe('subagent');
  });

  test('keeps its name, its tools and what it continues from its first requests', () => {
    const index = begin();
    expect(ask(index, 1, {}, { isNamed: true, unrecorded: 'r' })).toMatchObject({
      ...{ isNamed: true, unrecorded: 'r', hasTools: false, sumsUp: undefined },
    });
    expect(ask(index, 2, { tools: 1 }, { unrecorded: 's' })).toMatchObject({
      ...{ isNamed: true, unrecorded: 'r', hasTools: true },
    });
    expect(ask(index, 3, {}, { isNamed: false })).toMatchObject({ isNamed: true, hasTools: true });
    const plain = begin();
    expect(ask(plain, 1)).toMatchObject({ isNamed: false, unrecorded: undefined });
    expect(ask(plain, 2, {}, { isNamed: true, unrecorded: 'r', sumsUp: { thread: 'u' } })).toMatchObject({
      ...{ isNamed: false, unrecorded: undefined, sumsUp: { thread: 'u' } },
    });
  });

  test('is in the session of its first request; a session that continues it is the same one', () => {
    const index = begin();
    expect(ask(index, 1)).toMatchObject({ session: undefined });
    expect(ask(index, 2, { hints: { group: 's' } })).toMatchObject({ session: 's' });
    expect(ask(index, 2)).toMatchObject({ session: 's' });
    expect([...index.sessions.values()]).toEqual([]);
    expect(ask(index, 3, { hints: { group: 'r' } })).toMatchObject({ session: 's' });
    expect(index.sessions.get('r')).toBe('s');
    expect(index.sessions.has('s')).toBe(false);
    expect(ask(index, 4, { hints: { group: 'r' } }, { thread: 'u' })).toMatchObject({ session: 's' });
    ask(index, 5, { hints: { group: 'q' } }, { thread: 'v' });
    ask(index, 6, { hints: { group: 'r' } }, { thread: 'v' });
    expect(index.sessions.get('r')).toBe('s');
  });

  test('is the latest of its session, unless it is a side call', () => {
    const index = begin();
    const hints = { group: 's' };
    ask(index, 1, { hints });
    expect(index.latest.get(sessionKey(hints)!)).toBe('t');
    ask(index, 2, { hints }, { thread: 'u' }, true);
    expect(index.latest.get(sessionKey(hints)!)).toBe('t');
    ask(index, 3, { hints }, { thread: 'u' });
    expect(index.latest.get(sessionKey(hints)!)).toBe('u');
    ask(index, 4, {}, { thread: 'v' });
    expect([...index.latest.values()]).toEqual(['u']);
  });
});

describe('what a reply made known', () => {
  const chat = (...messages: readonly object[]): readonly Message[] =>
    dialect('openai-chat').readRequest(JSON.stringify({ model: 'm', messages }), {}).messages;
  const [question] = chat({ role: 'user', content: 'Q' });
  const says = (content: string) => chat({ role: 'assistant', content })[0]!;
  const asked = extendEcho(ECHO_START, question!);
  const SHORT = 'x'.repeat(79);
  const LONG = Array.from({ length: 60 }, (_, at) => `word${at * at}`).join(' ');

  /** Adds a reply of a thread below the question, as `n1`, `n2` and so on, which ends at 5000. */
  const world = () => {
    const index = createRecordedIndex();
    index.step();
    let count = 0;
    const add = (
      text: string,
      more: { hints?: Hints; thread?: Partial<IndexThread>; issued?: string[]; lead?: string; before?: object } = {},
      sentEcho = asked,
    ) => {
      const { hints = {}, issued = [], lead, before } = more;
      const message = says(text);
      count += 1;
      const [id, thread] = [`n${count}`, `t${count}`];
      const own = { head: id, hints, hintsKey: hintsKey(hints), isNamed: false, ...more.thread };
      index.set(index.threads, thread, own as IndexThread);
      index.set(index.nodes, 'q', { place: { id: 'q', echo: asked } } as IndexNode);
      const place = { id, echo: extendEcho(asked, message) };
      index.set(index.nodes, id, { place, parent: 'q', issued } as unknown as IndexNode);
      const history = { messages: [question!], echo: () => sentEcho } as unknown as SentHistory;
      const texts = lead === undefined ? [] : chat({ role: 'system', content: lead });
      return indexReplies(index, {
        turn: { exchange: { id: `x${count}`, start: 1000, end: 5000 } as Turn['exchange'], hints },
        ...{ thread, leadId: `lead ${lead}`, lead: texts, messages: [message], ids: [id] },
        sent: { history, finding: { ...before } as ThreadMatch },
      });
    };
    const early = (start: number, keys: readonly string[], more: object = {}, hints: Hints = {}) =>
      noteEarlyRequest(index, { exchange: { id: `e${start}`, start }, hints } as unknown as Turn, keys, {
        ...{ system: systemKeys([]), ...more },
      });
    return { index, add, early };
  };
  const wordsOf = (text: string) => wordsKey(extendEcho(asked, says(text)).text);

  test('are its ids; one that two replies have proves nothing', () => {
    const { index, add } = world();
    expect(add('A', { issued: ['one', 'two'] })).toMatchObject({ ids: ['one', 'two'], early: [] });
    expect(add('B', { issued: ['two'] }).ids).toEqual(['two']);
    expect(index.proofs.get('one')).toMatchObject({ node: 'n1' });
    expect(index.proofs.get('two')).toBe('several');
  });

  test('is its spot, which counts the long replies up to it', () => {
    const { add } = world();
    expect(add(SHORT).spot).toMatchObject({ node: 'n1', thread: 't1', ended: 5000, longReplies: 0 });
    expect(add(`${SHORT}x`).spot).toMatchObject({ longReplies: 1 });
    expect(add(SHORT, { before: { spot: { longReplies: 3 } } }).spot).toMatchObject({ longReplies: 3 });
    expect(add(LONG, { before: { spot: { longReplies: 3 } } }).spot).toMatchObject({ longReplies: 4 });
  });

  test('is what the client had sent before it, if that is not the path', () => {
    const { add } = world();
    expect(add('A').spot!.sent).toBeUndefined();
    const other = extendEcho(ECHO_START, chat({ role: 'user', content: 'Summary' })[0]!);
    const { sent } = add('A', {}, other).spot!;
    expect(sent).toEqual({ before: other.text, after: extendEcho(other, says('A')).text });
  });

  test('is that the reply before it was used last', () => {
    const { index, add } = world();
    const before = { node: 'n0', longReplies: 0 };
    add('A', { before: { spot: before, at: 0 } });
    const key = `${asked.text} ${systemKeys([]).dated} ${hintsKey({})}`;
    expect(index.lastUsed.get(key)).toBe(before);
    const other = world();
    other.add('A', { before: { spot: before } });
    expect(other.index.lastUsed.has(key)).toBe(false);
  });

  test('are the hints with which its words are known, each once', () => {
    const { index, add } = world();
    const words = `${extendEcho(asked, says('A')).text} ${systemKeys([]).dated}`;
    const counts = ['a', 'b', 'a', 'c'].map((user) => {
      add('A', { hints: { person: { user } } });
      return index.hintsAt.get(words)!.count;
    });
    expect(counts).toEqual([1, 2, 2, 3]);
  });

  test('are its passages in its session, if it is long enough', () => {
    const { index, add } = world();
    add(LONG);
    expect([...index.passages.values()]).toEqual([]);
    add(LONG, { hints: { group: 's' } });
    add(SHORT, { hints: { group: 't' } });
    expect(index.passages.get('s')).toMatchObject({ spot: { node: 'n2' } });
    expect([...index.passages.values()]).toHaveLength(1);
  });

  test('are requests with its words that came a moment before it ended, of the same persons', () => {
    const { add, early } = world();
    early(2000, [wordsOf('A')]);
    early(2001, [wordsOf('A')], {}, { person: { user: 'p' } });
    early(2002, [wordsOf('B')]);
    expect(add('A', { hints: { person: { user: 'q' } } }).early).toEqual(['e2000']);
  });

  test('are requests under another system text only with the same numbers, or behind a second long reply', () => {
    const { add, early } = world();
    const [one, other] = ['You serve customer 1234.', 'You serve customer 77.'];
    early(2000, [wordsOf(LONG)], { system: systemKeys([one]) });
    early(2001, [wordsOf(LONG)], { system: systemKeys(['You mend bridges.']) });
    early(2002, [wordsOf(LONG)], { system: systemKeys([one]), isOther: true });
    early(2003, [wordsOf(LONG)], { system: systemKeys([other]), isOther: true });
    expect(add(LONG, { lead: other }).early).toEqual(['e2000', 'e2003']);
    const second = add(LONG, { lead: other, before: { spot: { longReplies: 1 } } });
    expect(second.early).toEqual(['e2000', 'e2001', 'e2003']);
  });

  test('are requests with a name only in the thread that has it', () => {
    const { index, add, early } = world();
    early(2000, [wordsOf('A')], { isNamed: true });
    early(2001, [wordsOf('A')], { isNamed: true });
    early(2002, [wordsOf('A')]);
    for (const [request, thread] of [
      ['e2000', 't2'],
      ['e2001', 't9'],
      ['e2002', 't9'],
    ] as const)
      index.set(index.placements, request, { state: 'landed', thread });
    expect(add('A').early).toEqual(['e2002']);
    expect(add('A', { thread: { isNamed: true } }).early).toEqual(['e2000']);
  });

  test('are summaries of its own session, if it is long enough', () => {
    const { add, early } = world();
    for (const session of ['s', 't']) {
      early(2000, [summaryKey(session)], {}, { group: session });
      early(2001, [summaryKey(session)], {}, { group: session, person: { user: 'p' } });
    }
    const hints = { group: 's', person: { user: 'q' } };
    expect(add(SHORT, { hints }).early).toEqual([]);
    expect(add(LONG, { hints }).early).toEqual(['e2000']);
    expect(turnsKey('turn', systemKeys([]))).toBe(`turn ${systemKeys([]).numbered}`);
  });
});
