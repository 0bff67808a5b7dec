import { describe, expect, test } from 'vitest';
import { assistant, type Message, system, toolResult, user } from '../../message/index.ts';
import { applyCheckpoint, type Checkpoint, cutPoints, rangeDigest } from './checkpoint.ts';

const calls = (...ids: string[]): Message =>
  assistant(ids.map((id) => ({ type: 'tool-use', id, name: 'look', parameters: {}, rawParameters: '{}' })));

const checkpointOf = (messages: readonly Message[], upTo: number, replacement: readonly string[] = []): Checkpoint => ({
  upTo,
  digest: rangeDigest(messages, upTo),
  replacement,
});

describe('cut points', () => {
  test('are where a user begins a turn, never at the front', () => {
    const talk = [user('a'), assistant('b'), user('c'), assistant('d'), user('e')];
    expect(cutPoints(talk)).toEqual([2, 4]);
    expect(cutPoints([system('s'), ...talk])).toEqual([3, 5]);
    expect(cutPoints([])).toEqual([]);
    expect(cutPoints([user('a')])).toEqual([]);
  });

  test('are not between a call and its result, also when a user speaks in between', () => {
    expect(cutPoints([user('a'), calls('1'), toolResult('1', 'r'), assistant('b'), user('c')])).toEqual([4]);
    expect(cutPoints([user('a'), calls('1', '2'), toolResult('1', 'r'), user('b'), toolResult('2', 'r')])).toEqual([]);
  });

  test('a call without any result holds nothing together', () => {
    expect(cutPoints([user('a'), calls('1'), user('b')])).toEqual([2]);
  });

  test('an id that is used again belongs to the call before its result', () => {
    const turn = [user('a'), calls('1'), toolResult('1', 'r'), assistant('b')];
    expect(cutPoints([...turn, ...turn, user('c')])).toEqual([4, 8]);
  });

  test('what users and the system say in a row is one turn', () => {
    expect(cutPoints([user('a'), user('b'), assistant('c'), user('d'), user('e')])).toEqual([3]);
    expect(cutPoints([user('a'), assistant('b'), system('c'), user('d'), system('e'), user('f')])).toEqual([2]);
    expect(cutPoints([user('a'), system('b'), assistant('c'), system('d'), assistant('e')])).toEqual([]);
  });
});

describe('a checkpoint', () => {
  const talk = [system('s'), user('a'), assistant('b'), user('c')];

  test('stands for the front, but for system messages before everything else', () => {
    const sent = applyCheckpoint(talk, checkpointOf(talk, 3, [user('in short').raw]));
    expect(sent?.map(({ text }) => text)).toEqual(['s', 'in short', 'c']);
    expect(sent?.at(-1)).toBe(talk[3]);
  });

  test('is not used for another history, or when nothing follows it', () => {
    const checkpoint = checkpointOf(talk, 3);
    for (const index of [0, 1, 2])
      expect(applyCheckpoint(talk.with(index, assistant('other')), checkpoint)).toBeUndefined();
    expect(applyCheckpoint(talk.slice(0, 3), checkpoint)).toBeUndefined();
    expect(applyCheckpoint([], checkpoint)).toBeUndefined();
  });
});
