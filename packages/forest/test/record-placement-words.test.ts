/** Rules of placement (docs/recording.md): threads that are found by the words of a history, retries, and shortened histories. */
import { describe, expect, test } from 'vitest';
import type { Recorded } from './record-exchanges.ts';
import { assistant, chat, cutStream, LONG, person, place, session, system, user } from './record-placement-kit.ts';

describe('words', () => {
  test('go on at a head before they branch off elsewhere', async () => {
    const { threads } = await place([
      chat(1, [user('Hi')], assistant('Hello!')),
      chat(2, [user('Hi')], assistant('Hello!')),
      chat(3, [user('Hi'), assistant('Hello!'), user('One')], assistant('1')),
      chat(4, [user('Hi'), assistant('Hello!'), user('Two')], assistant('2')),
    ]);
    expect(new Set(threads.slice(2)).size).toBe(2);
  });

  test('continue the branch of a choice that was not the first', async () => {
    const response = JSON.stringify({
      id: 'c',
      model: 'm',
      choices: [
        { index: 0, message: assistant('B1') },
        { index: 1, message: assistant('B2') },
      ],
    });
    const { threads, of } = await place([
      chat(1, [user('A')], assistant('B1'), { response }),
      chat(2, [user('A'), assistant('B2'), user('C')], assistant('D')),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(of[1]).toMatchObject({ parent: expect.any(String), found: 'words' });
  });

  test('are the same under a system text with another date in it', async () => {
    const { threads } = await place([
      chat(1, [system('Today is Monday, 16 November 2026, 19:02.'), user('A')], assistant('B')),
      chat(
        2,
        [system('Today is Tuesday, 17 November 2026, 08:15.'), user('A'), assistant('B'), user('C')],
        assistant('D'),
      ),
    ]);
    expect(threads[1]).toBe(threads[0]);
  });

  test('count under another system text only where one thread fits and two long replies come back', async () => {
    const talk = [user('A'), assistant(`${LONG} One.`), user('B'), assistant(`${LONG} Two.`)];
    const { threads, of } = await place([
      chat(1, [system('One.'), talk[0]!], talk[1]!),
      chat(2, [system('One.'), ...talk.slice(0, 3)], talk[3]!),
      chat(3, [system('Two.'), ...talk, user('C')], assistant('D')),
      chat(4, [system('One.'), user('A')], assistant('Short.')),
      chat(5, [system('Two.'), user('A'), assistant('Short.'), user('C')], assistant('D')),
    ]);
    expect(new Set(threads.slice(0, 3)).size).toBe(1);
    expect(of[2]).toMatchObject({ otherSystem: true });
    expect(threads[4]).not.toBe(threads[3]);
  });

  test('of a reply that was not there yet when the request started do not count', async () => {
    const { threads } = await place([
      chat(1, [user('A')], assistant('B'), { end: 60_000 }),
      chat(2, [user('A'), assistant('B'), user('C')], assistant('D')),
    ]);
    expect(threads[1]).not.toBe(threads[0]);
  });

  test("of a reply that starts later, by another server's clock, count within the tolerance", async () => {
    const { threads, words } = await place([
      chat(1000, [user('A'), assistant('B'), user('C')], assistant('D')),
      chat(3000, [user('A')], assistant('B'), { end: 3500 }),
      chat(31_000, [user('X'), assistant('Y'), user('Z')], assistant('W')),
      chat(37_000, [user('X')], assistant('Y')),
    ]);
    expect(threads[0]).toBe(threads[1]);
    expect(await words(threads[0]!)).toEqual(['A', 'B', 'C', 'D']);
    expect(threads[2]).not.toBe(threads[3]);
  });

  test('under a count that grows with each request lead to a reply that starts later by another clock', async () => {
    const asked = (count: number) => system(`You were asked ${count} questions.`);
    const { threads, words } = await place([
      chat(0, [asked(1), user('A')], assistant('B')),
      chat(10_000, [asked(3), user('A'), assistant('B'), user('C'), assistant('D'), user('E')], assistant('F')),
      chat(12_000, [asked(2), user('A'), assistant('B'), user('C')], assistant('D')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect((await words(threads[0]!)).slice(1)).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });

  test('of a branch before it do not keep a request from the reply that starts later by another clock', async () => {
    const { of, threads } = await place([
      chat(1000, [user('A')], assistant('B')),
      chat(20_000, [user('A'), assistant('B'), user('C'), assistant('D'), user('E')], assistant('F')),
      chat(21_000, [user('A'), assistant('B'), user('C')], assistant('D')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[1]).toMatchObject({ way: 'continues', matched: 4 });
  });

  test("of a reply that was given twice do not leave the head at the second one, which starts later by another server's clock", async () => {
    const history = [user('A'), assistant('B'), user('C')];
    const { threads, words } = await place([
      chat(1000, [user('A')], assistant('B')),
      chat(10_000, history, assistant('D')),
      chat(31_000, [...history, assistant('D'), user('E')], assistant('F')),
      chat(33_000, history, assistant('D')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(await words(threads[0]!)).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });

  test('under a system text with another number belong to the thread with the same number', async () => {
    const number = (of: number) => system(`Today is 16 November 2026. The customer has the number ${of}.`);
    const { threads } = await place([
      chat(1, [number(4711), user('Hi')], assistant('Hello!')),
      chat(2, [number(4711), user('Hi'), assistant('Hello!'), user('One')], assistant('1')),
      chat(3, [number(4712), user('Hi')], assistant('Hello!')),
      // An edit of the first customer, while the thread of the second ends at the same words.
      chat(4, [number(4711), user('Hi'), assistant('Hello!'), user('Two')], assistant('2')),
      chat(5, [number(4712), user('Hi'), assistant('Hello!'), user('Three')], assistant('3')),
    ]);
    expect(threads).toEqual([threads[0], threads[0], threads[2], threads[0], threads[2]]);
    expect(threads[2]).not.toBe(threads[0]);
  });

  test("under another number are left for those under the same, which start later by another server's clock", async () => {
    const number = (of: number) => system(`The customer has the number ${of}.`);
    const { threads } = await place([
      chat(1, [number(4711), user('Hi')], assistant('Hello!')),
      chat(20_000, [number(4712), user('Hi'), assistant('Hello!'), user('Two')], assistant('2')),
      chat(21_000, [number(4712), user('Hi')], assistant('Hello!')),
    ]);
    expect(threads[1]).toBe(threads[2]);
    expect(threads[1]).not.toBe(threads[0]);
  });

  test('under a system text with a number that changes count where just one thread fits', async () => {
    const used = (tokens: number) => system(`You have used ${tokens} tokens.`);
    const { threads } = await place([
      chat(1, [used(0), user('A')], assistant('B')),
      chat(2, [used(17), user('A'), assistant('B'), user('C')], assistant('D')),
      chat(3, [used(0), user('X')], assistant('Y')),
      chat(4, [used(0), user('X')], assistant('Y')),
      chat(5, [used(21), user('X'), assistant('Y'), user('Z')], assistant('W')),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(new Set(threads.slice(2)).size).toBe(3);
  });

  test('lead to a branch where a message was edited', async () => {
    const { threads, words } = await place([
      chat(1, [user('A')], assistant('B')),
      chat(2, [user('A'), assistant('B'), user('C')], assistant('D')),
      chat(3, [user('A'), assistant('B'), user('C2')], assistant('E')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(await words(threads[0]!)).toEqual(['A', 'B', 'C2', 'E']);
  });
});

describe('retries', () => {
  const cut = (start: number, more: Partial<Recorded> = {}) =>
    chat(start, [user('Hi')], assistant(''), { response: cutStream('Hel'), outcome: 'cut', end: start + 10, ...more });

  test('take over the thread of a request that was cut, once', async () => {
    const { threads, of } = await place([
      cut(1),
      chat(1000, [user('Hi')], assistant('Hello!')),
      chat(1001, [user('Hi')], assistant('Hello!')),
    ]);
    expect(of[1]).toMatchObject({ found: 'retry' });
    expect(threads[1]).toBe(threads[0]);
    expect(threads[2]).not.toBe(threads[0]);
  });

  test("that start earlier, by another server's clock, end the thread also where words lead to it", async () => {
    const history = [user('A'), assistant('B'), user('C')];
    const cut = { outcome: 'cut', response: cutStream('Hal'), end: 12_500 } as const;
    const { threads, words } = await place([
      chat(0, [user('A')], assistant('B')),
      chat(10_000, history, assistant('Whole')),
      { ...chat(12_000, history, assistant('')), ...cut },
    ]);
    expect(new Set(threads).size).toBe(1);
    expect((await words(threads[0]!)).at(-1)).toBe('Whole');
  });

  test("that start earlier, by another server's clock, take it over within the tolerance", async () => {
    const { threads, of } = await place([chat(1000, [user('Hi')], assistant('Hello!')), cut(3000)]);
    expect(threads[0]).toBe(threads[1]);
    expect(of[0]).toMatchObject({ found: 'retry' });
  });

  test('later than a minute only by the count of the client', async () => {
    const { threads } = await place([
      cut(1),
      cut(2, { hints: person('a') }),
      chat(100_000, [user('Hi')], assistant('Hello!')),
      chat(100_001, [user('Hi')], assistant('Hello!'), { hints: person('a'), retryCount: 1 }),
    ]);
    expect(threads[2]).not.toBe(threads[0]);
    expect(threads[3]).toBe(threads[1]);
  });

  test('of two requests that were cut side by side take over one each', async () => {
    const { threads } = await place([
      cut(1, { end: 5000 }),
      cut(2, { end: 5001 }),
      chat(6000, [user('Hi')], assistant('Hello!')),
      chat(6001, [user('Hi')], assistant('Hello!')),
    ]);
    expect(new Set(threads).size).toBe(2);
    expect(new Set(threads.slice(2))).toEqual(new Set(threads.slice(0, 2)));
  });

  test('of a request in a thread that has a name do not, unless they have that name', async () => {
    const { threads } = await place([
      cut(1, { thread: 'mine' }),
      chat(1000, [user('Hi')], assistant('Hello!')),
      chat(1001, [user('Hi')], assistant('Hello!'), { thread: 'mine' }),
    ]);
    expect(threads[1]).not.toBe(threads[0]);
    expect(threads[2]).toBe(threads[0]);
  });

  test('do not make the long replies before them forgotten', async () => {
    const talk = [
      user('A'),
      assistant(`${LONG} One.`),
      user('B'),
      assistant(`${LONG} Two.`),
      user('C'),
      assistant('D'),
    ];
    const asked = [system('One.'), ...talk.slice(0, 5)];
    const { threads } = await place([
      chat(1, [system('One.'), talk[0]!], talk[1]!),
      chat(2, [system('One.'), ...talk.slice(0, 3)], talk[3]!),
      chat(3, asked, assistant(''), { response: cutStream('Di'), outcome: 'cut' }),
      chat(4, asked, talk[5]!),
      chat(5, [system('Two.'), ...talk, user('E')], assistant('F')),
    ]);
    expect(new Set(threads).size).toBe(1);
  });

  test('of another person do not', async () => {
    const { threads } = await place([cut(1), chat(1000, [user('Hi')], assistant('Hello!'), { hints: person('b') })]);
    expect(threads[1]).not.toBe(threads[0]);
  });
});

describe('compacted histories', () => {
  const talk = Array.from({ length: 5 }, (_, at) => [user(`Question ${at}`), assistant(`Answer ${at}`)]).flat();
  const grown = Array.from({ length: 5 }, (_, at) => chat(at, talk.slice(0, at * 2 + 1), talk[at * 2 + 1]!));

  test('a window of the last turns goes on with its thread, which then sends just that window', async () => {
    const { threads, of, words, forest } = await place([
      ...grown,
      chat(10, [...talk.slice(6), user('More')], assistant('!')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[5]).toMatchObject({ found: 'compacted', way: 'continues', compacted: { messages: 6, sentInstead: 0 } });
    expect(await words(threads[0]!)).toHaveLength(12);
    expect(await forest.contextChanges(threads[0]!)).toMatchObject([{ node: of[5]!.node, compacted: { messages: 6 } }]);
  });

  test('one turn alone does not', async () => {
    const { of } = await place([...grown, chat(10, [...talk.slice(8), user('More')], assistant('!'))]);
    expect(of[5]).toMatchObject({ found: 'new' });
  });

  test('turns with another one between them are not a window of that thread', async () => {
    const between = [user('Something else'), assistant('Yes.')];
    const { of } = await place([
      ...grown.slice(0, 2),
      chat(10, [...talk.slice(0, 2), ...between, ...talk.slice(2, 4), user('More')], assistant('!')),
    ]);
    expect(of[2]).toMatchObject({ found: 'words', matched: 2 });
  });

  test('a window that two conversations have belongs to neither', async () => {
    const other = [user('Another beginning'), assistant('Another answer'), ...talk.slice(2)];
    const { of } = await place([
      ...grown,
      ...[0, 1, 2, 3, 4].map((at) => chat(5 + at, other.slice(0, at * 2 + 1), other[at * 2 + 1]!)),
      chat(10, [...talk.slice(6), user('More')], assistant('!')),
    ]);
    expect(of[10]).toMatchObject({ found: 'new' });
  });

  test("a window whose last reply starts later, by another server's clock, goes on with its thread", async () => {
    const { threads, of } = await place([
      ...grown.slice(0, 4),
      chat(1000, [...talk.slice(6), user('More')], assistant('!')),
      { ...grown[4]!, start: 3000, end: 3001 },
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[4]).toMatchObject({ found: 'compacted' });
  });

  const summary = `${LONG} ${LONG.toUpperCase()} And so on, with all that was decided about the boats and the bridges.`;
  const summedUp = user(`This session is being continued. ${summary}\n\nGo on.`);

  test("the client's own summary of a reply of the same session goes on with it", async () => {
    const hints = session('s');
    const { threads, of, words } = await place([
      ...grown.map((one) => ({ ...one, hints })),
      chat(9, [...talk, user('Sum up')], assistant(summary), { hints }),
      chat(10, [summedUp], assistant('Going on.'), { hints }),
      chat(11, [summedUp, assistant('Going on.'), user('And?')], assistant('Done.'), { hints }),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[6]).toMatchObject({ found: 'compacted', way: 'continues' });
    expect(of[7]).toMatchObject({ way: 'continues' });
    expect((await words(threads[0]!)).slice(-2)).toEqual(['And?', 'Done.']);
  });

  test("a summary whose reply starts later, by another server's clock, goes on with its thread", async () => {
    const hints = session('s');
    const { threads } = await place([
      ...grown.map((one) => ({ ...one, hints })),
      chat(1000, [summedUp], assistant('Going on.'), { hints }),
      chat(3000, [...talk, user('Sum up')], assistant(summary), { hints }),
    ]);
    expect(new Set(threads).size).toBe(1);
  });

  test('an equal hint alone never joins', async () => {
    const hints = session('s');
    const { threads } = await place([
      ...grown.map((one) => ({ ...one, hints })),
      chat(10, [user('Something else')], assistant('Yes.'), { hints }),
    ]);
    expect(new Set(threads).size).toBe(2);
  });
});
