import { describe, expect, test } from 'vitest';
import type { Turn } from '../read-exchange.ts';
import { CLOCK_TOLERANCE_MS } from './known-replies.ts';
import {
  awaitKey,
  findContinuedReply,
  findEarlyContinuations,
  findEarlyRetry,
  isCut,
  noteCut,
  responseKey,
  type ThreadMatch,
} from './placement-rules.ts';
import { createRecordedIndex, type IndexThread } from './recorded-index.ts';
import type { SentHistory } from './sent-history.ts';

const turn = (exchange: object, hintsKey = ''): Turn => ({ exchange, hints: {}, hintsKey }) as unknown as Turn;

describe('a retry that starts before the request that was cut, by another clock', () => {
  const cut = { start: 19_000, end: 20_000, requestSha256: 'same' };
  const before = { id: 'x', start: 15_000, outcome: 'done', requestSha256: 'same' } as const;

  test('is the request with the same bytes that continued the same reply, within the tolerance', () => {
    expect(findEarlyRetry(turn(cut), before)).toEqual(['x']);
    expect(findEarlyRetry(turn({ ...cut, end: 20_000 + 1 }), before)).toEqual([]);
    expect(findEarlyRetry(turn({ ...cut, start: 20_001, end: undefined }), before)).toEqual([]);
    expect(findEarlyRetry(turn({ ...cut, start: 20_000, end: undefined }), before)).toEqual(['x']);
  });

  test.each([
    ['other bytes', cut, { ...before, requestSha256: 'other' }],
    ['one that was cut, too', cut, { ...before, outcome: 'cut' }],
    ['one long ago that was cut', cut, { ...before, outcome: 'cut', start: 1 }],
    [
      'exchanges of older releases, whose bytes are not known',
      { ...cut, requestSha256: undefined },
      { ...before, requestSha256: undefined },
    ],
    ['none', cut, undefined],
  ])('is not: %s', (_what, exchange, one) => {
    expect(findEarlyRetry(turn(exchange), one as typeof before)).toEqual([]);
  });
});

test('what continued a reply may continue the same reply that is given again, within the tolerance', () => {
  const index = createRecordedIndex();
  index.step();
  index.set(index.continued, 't a', { id: 'x', start: 15_000, outcome: 'done' });
  index.set(index.continued, 't b', { id: 'y', start: 14_999, outcome: 'done' });
  index.set(index.continued, 'u c', { id: 'z', start: 20_000, outcome: 'done' });
  const found = (exchange: object) => findEarlyContinuations(index, turn(exchange), 't', ['a', 'b', 'c', 'd']);
  expect(found({ start: 1, end: 20_000 })).toEqual(['x']);
  expect(found({ start: 20_000 })).toEqual(['x']);
  expect(found({ start: 19_999 })).toEqual(['x', 'y']);
  expect(found({ start: 20_001 })).toEqual([]);
});

describe('cut requests', () => {
  const begin = (isNamed = false) => {
    const index = createRecordedIndex();
    index.step();
    index.set(index.threads, 't', { isNamed } as IndexThread);
    return index;
  };
  const place = { thread: 't', parent: 'p', spot: undefined };

  test('are remembered by bytes and hints with their ends, a hundred and one of them', () => {
    const index = begin();
    for (let start = 0; start < 200; start++)
      noteCut(index, turn({ id: 'x', start, end: start === 150 ? 1000 : undefined, requestSha256: 's' }, 'h'), place);
    noteCut(index, turn({ id: 'x', start: 7, requestSha256: 's' }, 'i'), place);
    const ends = (key: string) => index.cuts.get(key)?.map(({ end }) => end);
    expect(ends('s i')).toEqual([7]);
    expect(ends('s h')).toEqual(Array.from({ length: 101 }, (_, at) => (at + 99 === 150 ? 1000 : at + 99)));
    expect(index.cuts.get('s i')).toEqual([{ ...place, end: 7 }]);
  });

  test('of a named thread, or with unknown bytes, are not', () => {
    const named = begin(true);
    expect(noteCut(named, turn({ id: 'x', start: 7, requestSha256: 's' }), place)).toEqual([]);
    const index = begin();
    expect(noteCut(index, turn({ id: 'x', start: 7 }), place)).toEqual([]);
    expect([...named.cuts.values(), ...index.cuts.values()]).toEqual([]);
  });
});

test.each([
  ['the stream broke off', 'cut', 'done', 1, true],
  ['the client left before the first word', 'end', 'cut', 0, true],
  ['the client left after the last event', 'end', 'cut', 1, false],
  ['there was no reply', 'end', 'done', 0, false],
  ['it is whole', 'end', 'done', 1, false],
])('whether an answer was cut: %s', (_how, reason, outcome, replies, is) => {
  const answer = { stop: { reason }, replies: Array.from({ length: replies }) };
  expect(isCut({ answer, exchange: { outcome } } as unknown as Turn)).toBe(is);
});

test('all exchanges that wait for a key are found by it', () => {
  const index = createRecordedIndex();
  index.step();
  awaitKey(index, responseKey('a'), 'x');
  awaitKey(index, responseKey('a'), 'y');
  awaitKey(index, responseKey('b'), 'z');
  expect(index.awaiting.get(responseKey('a'))).toEqual(['x', 'y']);
});

describe('the reply that a request continues', () => {
  /** Two replies, at 1 and 3; the first `exact` messages are known to the byte. */
  const history = (exact: number, length = 5) =>
    ({
      messages: Array.from({ length }),
      replyBefore: (end: number) => (end > 3 ? 3 : end > 1 ? 1 : -1),
      nodeAt: (at: number) => (at >= 0 && at < exact ? { place: { id: `node ${at}` } } : undefined),
    }) as unknown as SentHistory;
  const match = (more: object) => ({ thread: 't', ...more }) as ThreadMatch;

  test('is the one by which its thread was found', () => {
    expect(findContinuedReply(history(5), match({ spot: { node: 'n' }, matched: 2 }))).toBe('n');
  });

  test('is in a named thread the last one, if it leads there', () => {
    expect(findContinuedReply(history(4), match({ matched: 4 }))).toBe('node 3');
    expect(findContinuedReply(history(4), match({ matched: 3 }))).toBeUndefined();
    expect(findContinuedReply(history(3), match({ matched: 4 }))).toBeUndefined();
    expect(findContinuedReply(history(1, 1), match({ matched: 1 }))).toBeUndefined();
  });
});

test('the clocks of two servers differ by five seconds at most', () => {
  expect(CLOCK_TOLERANCE_MS).toBe(5000);
});
