import { dialect, type Message, rangeDigest } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { type AppendPoint, makeNodeRecords, ROOT_POINT } from '../../forest/index.ts';
import { type Hints, hintsKey } from '../hints.ts';
import type { Turn } from '../read-exchange.ts';
import { describeCompaction, matchSummary, setAside } from './compactions.ts';
import type { SummaryMatch } from './find-reply.ts';
import { sessionKey } from './known-replies.ts';
import type { ThreadMatch } from './placement-rules.ts';
import { addIndexNode, createRecordedIndex, type IndexThread } from './recorded-index.ts';
import { SentHistory } from './sent-history.ts';

const chat = (...messages: readonly object[]): readonly Message[] =>
  dialect('openai-chat').readRequest(JSON.stringify({ model: 'm', messages }), {}).messages;
const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = { role: 'system', content: 'You mend bridges.' };
const SUMMARY = user('They asked what is wrong. A pier is.');

/** An index with threads of recorded messages. */
function world() {
  const index = createRecordedIndex();
  index.step();
  /** A thread with these messages, and the places of all of them. */
  const talk = (id: string, messages: readonly object[], from: AppendPoint = ROOT_POINT) => {
    const places: AppendPoint[] = [];
    for (const message of chat(...messages)) {
      const above = places.at(-1) ?? from;
      const { node, next } = makeNodeRecords(above, message, 1);
      const facts = { parent: above.id, body: node.body, at: 1, isReply: message.role === 'assistant' };
      addIndexNode(index, { place: next, ...facts, issued: [], prover: undefined });
      places.push(next);
    }
    begin(id, places.at(-1)!.id);
    return places;
  };
  const begin = (id: string, head: string) => index.set(index.threads, id, { head, hints: {} } as IndexThread);
  const historyOf = (...messages: readonly object[]) =>
    new SentHistory(index, { system: undefined, messages: chat(...messages) });
  return { index, talk, begin, historyOf };
}

describe('a request for a summary', () => {
  const hints: Hints = { group: 's' };
  const turn = { exchange: { id: 'x', start: 1 }, hints, hintsKey: hintsKey(hints) } as unknown as Turn;
  const match = (more: object) =>
    ({ thread: 't', place: { id: 'p' }, matched: 3, by: 'exact', found: 'words', ...more }) as unknown as ThreadMatch;

  test('within a conversation has a thread of its own beside it, and sums up its messages', () => {
    const { index, begin } = world();
    begin('t', 'p');
    const { thread, ...aside } = setAside(index, match({}), turn);
    expect(thread).toMatch(/^[0-9a-f]{16}$/);
    expect(aside).toEqual({
      ...{ place: { id: 'p' }, matched: 3, by: 'exact', kept: undefined, found: 'new', isNamed: true },
      sumsUp: { thread: 't', node: 'p' },
    });
    expect(setAside(index, match({}), turn).thread).toBe(thread);
    const other = { ...turn, exchange: { ...turn.exchange, id: 'y' } };
    expect(setAside(index, match({}), other).thread).not.toBe(thread);
  });

  test('whose history is a compacted one begins at the root', () => {
    const { index, begin } = world();
    begin('t', 'p');
    const aside = setAside(index, match({ compaction: { upTo: 2 } }), turn);
    expect(aside).toMatchObject({ place: ROOT_POINT, matched: 0, by: 'exact', sumsUp: { thread: 't', node: 'p' } });
    expect(aside.compaction).toBeUndefined();
  });

  test('elsewhere sums up the conversation that its session had last, if it had one', () => {
    const { index } = world();
    expect(setAside(index, match({ found: 'new' }), turn).sumsUp).toBeUndefined();
    index.set(index.latest, sessionKey(hints)!, 'u');
    expect(setAside(index, match({ found: 'new' }), turn).sumsUp).toEqual({ thread: 'u' });
    expect(setAside(index, match({ found: 'named' }), turn).sumsUp).toEqual({ thread: 'u' });
    expect(setAside(index, match({ found: 'new' }), { ...turn, hints: {} }).sumsUp).toBeUndefined();
  });
});

describe('what comes behind a summary', () => {
  const TALK = [user('What is wrong?'), assistant('A pier.'), user('How old is it?'), assistant('Ninety years.')];
  const found = (node?: string, at = 0): SummaryMatch =>
    ({ thread: 't', at, spot: { longReplies: 2 }, ...(node !== undefined && { node }) }) as unknown as SummaryMatch;

  test('goes below the end of its conversation, and replaces all before', () => {
    const { index, talk, historyOf } = world();
    const end = talk('t', TALK).at(-1)!;
    const history = historyOf(SUMMARY, user('Thanks'));
    expect(matchSummary(index, history, found())).toMatchObject({
      ...{ thread: 't', place: end, matched: 1, by: 'exact', found: 'compacted' },
      spot: { thread: 't', node: end.id, longReplies: 2 },
      compaction: { upTo: 4, replacement: [{ raw: history.messages[0]!.raw }] },
    });
  });

  test('goes below the message that was summed up, if the thread ends above it', () => {
    const { index, talk, begin, historyOf } = world();
    const [first, , , last] = talk('t', TALK);
    begin('t', first!.id);
    expect(matchSummary(index, historyOf(SUMMARY, user('Thanks')), found(last!.id)).place).toBe(last);
    begin('t', last!.id);
    expect(matchSummary(index, historyOf(SUMMARY, user('Thanks')), found(first!.id)).place).toBe(last);
  });

  test('repeats replies of the conversation: they belong to what replaces it', () => {
    const { index, talk, historyOf } = world();
    talk('t', TALK);
    const matched = (...messages: readonly object[]) => matchSummary(index, historyOf(...messages), found()).matched;
    expect(matched(SUMMARY, assistant('Ninety years.'), user('Thanks'))).toBe(2);
    expect(matched(SUMMARY, assistant('A pier.'), assistant('Done.'), user('Thanks'))).toBe(2);
    expect(matched(SUMMARY, assistant('Done.'), user('Thanks'))).toBe(2);
    expect(matched(SUMMARY, user('And?'), assistant('Done.'), user('Thanks'))).toBe(3);
    expect(matched(SUMMARY, user('What is wrong?'), user('Thanks'))).toBe(1);
  });

  test('does not repeat an empty answer, which says nothing', () => {
    const { index, talk, historyOf } = world();
    talk('t', [...TALK, user('And?'), assistant('')]);
    const history = historyOf(SUMMARY, assistant(''), user('Well?'), assistant('Done.'), user('Thanks'));
    expect(matchSummary(index, history, found()).matched).toBe(4);
  });

  test('has at least its last message behind it', () => {
    const { index, talk, historyOf } = world();
    talk('t', TALK);
    expect(matchSummary(index, historyOf(SUMMARY), found()).matched).toBe(0);
    expect(matchSummary(index, historyOf(user('x'), SUMMARY), found(undefined, 1)).matched).toBe(1);
    expect(matchSummary(index, historyOf(system, SUMMARY, user('y')), found(undefined, 1)).matched).toBe(2);
  });

  test('repeats only the last eight replies', () => {
    const { index, talk, historyOf } = world();
    const turns = Array.from({ length: 9 }, (_, at) => [user(`Question ${at}`), assistant(`Answer ${at}`)]).flat();
    talk('t', turns);
    const matched = (answer: string) =>
      matchSummary(index, historyOf(SUMMARY, assistant(answer), assistant('New.'), user('Thanks')), found()).matched;
    expect(matched('Answer 1')).toBe(2);
    expect(matched('Answer 0')).toBe(3);
  });
});

describe('a compaction', () => {
  const TALK = [system, user('A'), assistant('B'), user('C'), assistant('D')];
  const described = (sent: readonly object[], matched: number) => {
    const { index, talk, historyOf } = world();
    const place = talk('t', TALK).at(-1)!;
    const path = chat(...TALK);
    const { upTo, digest, replacement } = describeCompaction(index, historyOf(...sent), { place, matched });
    expect(digest).toBe(rangeDigest(path, upTo));
    return [upTo, ...replacement.map((one) => JSON.parse((one as { raw: string }).raw).content)];
  };

  test('says how many messages at the front were left out, and what was sent instead', () => {
    expect(described([system, SUMMARY, user('C'), assistant('D'), user('E')], 4)).toEqual([3, SUMMARY.content]);
    expect(described([system, SUMMARY, user('E')], 2)).toEqual([5, SUMMARY.content]);
    expect(described([system, assistant('D'), user('E')], 2)).toEqual([4]);
  });

  test('never replaces the system text', () => {
    expect(described([...TALK, user('E')], 5)).toEqual([1]);
    const { index, talk, historyOf } = world();
    const place = talk('t', [system, system, user('A')]).at(-1)!;
    const sent = historyOf(user('x'), system, system, user('A'));
    expect(describeCompaction(index, sent, { place, matched: 4 }).upTo).toBe(2);
  });
});
