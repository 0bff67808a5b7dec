/** Rules of placement, by number as in docs/recording.md: which thread a recorded exchange belongs to. */
import { memoryStore, reproject, type Store } from '@skein/forest';
import { describe, expect, test } from 'vitest';
import type { Hints } from '../src/record/hints.ts';
import { type Recorded, recordsOf } from './record-exchanges.ts';
import { newForest } from './record-kit.ts';

type Turn = { role: string; content?: unknown; tool_calls?: unknown; tool_call_id?: string };
const user = (content: string): Turn => ({ role: 'user', content });
const assistant = (content: string): Turn => ({ role: 'assistant', content });
const system = (content: string): Turn => ({ role: 'system', content });
const LONG = 'This answer is so long that nobody would say it twice by chance, not even at temperature zero.';

let count = 0;
const chat = (start: number, messages: Turn[], answer: Turn, more: Partial<Recorded> = {}): Recorded => ({
  id: `x${String(count++).padStart(4, '0')}`,
  start,
  dialect: 'openai-chat',
  request: JSON.stringify({ model: 'm', messages }),
  response: JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, message: answer }] }),
  ...more,
});
const calls = (id: string): Turn =>
  ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
  }) as Turn;
const result = (id: string): Turn => ({ role: 'tool', tool_call_id: id, content: 'found' });
const cutStream = (text: string) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: text } }] })}\n\n`;

async function placed(exchanges: readonly Recorded[], store: Store = memoryStore()) {
  for (const one of exchanges) await store.append(recordsOf(one));
  const forest = newForest(store);
  await reproject(forest);
  const { items } = await store.refs({ on: 'forest', names: ['landed'], limit: 10_000 });
  const landings = new Map(items.map(({ key, value }) => [key, value as Record<string, unknown>]));
  const of = exchanges.map(({ id }) => landings.get(id)!);
  const threads = of.map(({ thread }) => thread as string);
  const words = async (thread: string) =>
    (await forest.path((await forest.threads.get(thread)).head)).map(({ message }) => message.text);
  return { forest, of, threads, words };
}

const person = (name: string): Hints => ({ person: { user: name } });
const session = (name: string): Hints => ({ session: { 'x-session-id': name }, group: name });

describe('whoever begins gets a thread of their own', () => {
  test('ten people who say "Hi" to one app are ten conversations', async () => {
    const first = Array.from({ length: 10 }, (_, at) =>
      chat(at, [user('Hi')], assistant('Hello!'), { hints: person(`p${at}`) }),
    );
    const then = first.map((_, at) =>
      chat(100 + at, [user('Hi'), assistant('Hello!'), user(`I am ${at}`)], assistant('Ah.'), {
        hints: person(`p${at}`),
      }),
    );
    const { threads, words } = await placed([...first, ...then]);
    expect(new Set(threads).size).toBe(10);
    for (const [at] of first.entries()) {
      expect(threads[10 + at]).toBe(threads[at]);
      expect(await words(threads[at]!)).toEqual(['Hi', 'Hello!', `I am ${at}`, 'Ah.']);
    }
  });

  test('also where every byte is the same and nothing tells them apart', async () => {
    const { threads, forest } = await placed([1, 2, 3].map((at) => chat(at, [user('Hi')], assistant('Hello!'))));
    expect(new Set(threads).size).toBe(3);
    const rows = (await forest.threads.groups()).items;
    expect(rows).toMatchObject([{ kind: 'opening', count: 3 }]);
  });

  test('another app\'s "Hi" under another system text does not land in the first app\'s thread', async () => {
    const { threads, words } = await placed([
      chat(1, [system('You are a shop assistant.'), user('Hi')], assistant('Hello!')),
      chat(2, [system('You are a medical triage nurse.'), user('Hi')], assistant('Hello!')),
      chat(
        3,
        [system('You are a medical triage nurse.'), user('Hi'), assistant('Hello!'), user('It hurts')],
        assistant('Where?'),
      ),
    ]);
    expect(threads[1]).not.toBe(threads[0]);
    expect(threads[2]).toBe(threads[1]);
    expect(await words(threads[2]!)).toEqual(['You are a medical triage nurse.', 'Hi', 'Hello!', 'It hurts', 'Where?']);
  });

  test('examples that an app puts in front of every question do not join its conversations', async () => {
    const shots = [user('2 + 2'), assistant('4'), user('3 + 3'), assistant('6')];
    const { threads } = await placed([
      chat(1, [...shots, user('4 + 4')], assistant('8')),
      chat(2, [...shots, user('5 + 5')], assistant('10')),
    ]);
    expect(threads[0]).not.toBe(threads[1]);
  });
});

describe('names', () => {
  test('x-skein-thread names a thread, also one that is not known yet, and joins across persons', async () => {
    const { threads, of } = await placed([
      chat(1, [user('A')], assistant('B'), { thread: 'order-1', hints: person('a') }),
      chat(2, [user('C')], assistant('D'), { thread: 'order-1', hints: person('b') }),
      chat(3, [user('A')], assistant('B'), { thread: 'order-2' }),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(threads[2]).not.toBe(threads[0]);
    expect(of[0]).toMatchObject({ found: 'named' });
  });

  test("a client's own name for its conversation does not join across persons", async () => {
    const { threads } = await placed([
      chat(1, [user('A')], assistant('B'), { hints: { ...person('a'), name: 'n' } }),
      chat(2, [user('A'), assistant('B'), user('C')], assistant('D'), { hints: { ...person('a'), name: 'n' } }),
      chat(3, [user('A'), assistant('B'), user('C')], assistant('D'), { hints: { ...person('b'), name: 'n' } }),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(threads[2]).not.toBe(threads[0]);
  });

  test('x-skein-thread with the id of a recorded thread goes on with it, also from a history that the server keeps', async () => {
    const first = [chat(1, [user('A')], assistant('B'))];
    const [id] = (await placed(first)).threads;
    const kept = (start: number, previous: string | undefined, own: string, more: Partial<Recorded> = {}) => ({
      ...chat(start, [], assistant('')),
      dialect: 'openai-responses',
      request: JSON.stringify({ model: 'm', input: 'Q', ...(previous && { previous_response_id: previous }) }),
      response: JSON.stringify({ id: own, object: 'response', status: 'completed', model: 'm', output: [] }),
      ...more,
    });
    const { threads } = await placed([
      ...first,
      chat(2, [user('C')], assistant('D'), { thread: id! }),
      kept(3, undefined, 'resp_1'),
      kept(4, 'resp_1', 'resp_2', { thread: id! }),
    ]);
    expect(threads[1]).toBe(id);
    expect(threads[3]).toBe(id);
  });

  test("a named thread ends at its last reply, also where its first one starts later by another server's clock", async () => {
    const named = { thread: 'mine' };
    const { threads, words } = await placed([
      chat(0, [user('A')], assistant('B')),
      chat(10_000, [user('A'), assistant('B'), user('C')], assistant('D'), named),
      chat(12_000, [user('A')], assistant('B'), named),
    ]);
    expect(threads[1]).toBe(threads[2]);
    expect(await words(threads[1]!)).toEqual(['A', 'B', 'C', 'D']);
  });

  test('a thread that began under a name takes no others by their words', async () => {
    const { threads } = await placed([
      chat(1, [user('A')], assistant('B'), { thread: 'mine' }),
      chat(2, [user('A'), assistant('B'), user('C')], assistant('D')),
    ]);
    expect(threads[1]).not.toBe(threads[0]);
  });
});

describe('hints', () => {
  test('different persons are never one thread, even with a proof', async () => {
    const { threads } = await placed([
      chat(1, [user('A')], calls('call_8fj20dk3'), { hints: person('a') }),
      chat(2, [user('A'), calls('call_8fj20dk3'), result('call_8fj20dk3')], assistant('B'), { hints: person('b') }),
    ]);
    expect(threads[0]).not.toBe(threads[1]);
  });

  test('different sessions are one thread only with a proof', async () => {
    const { threads } = await placed([
      chat(1, [user('A')], calls('call_8fj20dk3'), { hints: session('s1') }),
      chat(2, [user('A'), calls('call_8fj20dk3'), result('call_8fj20dk3')], assistant('B'), { hints: session('s2') }),
      chat(3, [user('X')], assistant('Y'), { hints: session('s3') }),
      chat(4, [user('X'), assistant('Y'), user('Z')], assistant('W'), { hints: session('s4') }),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(threads[3]).not.toBe(threads[2]);
  });

  test('a request that names nobody and fits two persons belongs to neither', async () => {
    const { threads } = await placed([
      chat(1, [user('Hi')], assistant('Hello!'), { hints: person('a') }),
      chat(2, [user('Hi')], assistant('Hello!'), { hints: person('b') }),
      chat(3, [user('Hi'), assistant('Hello!'), user('?')], assistant('Yes?')),
      chat(4, [user('Ho')], assistant('Hello!'), { hints: person('a') }),
      chat(5, [user('Ho'), assistant('Hello!'), user('?')], assistant('Yes?')),
    ]);
    expect(new Set(threads).size).toBe(4);
    expect(threads[4]).toBe(threads[3]);
  });
});

describe('proofs', () => {
  test('an id that its provider issued joins, also under another system text; the change is kept with the reply', async () => {
    const { threads, of, forest } = await placed([
      chat(1, [system('One.'), user('A')], calls('call_8fj20dk3')),
      chat(2, [system('Two.'), user('A'), calls('call_8fj20dk3'), result('call_8fj20dk3')], assistant('B')),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(of[1]).toMatchObject({ found: 'proof', otherSystem: true, way: 'continues' });
    const [change] = await forest.contextChanges(threads[0]!);
    expect(change).toMatchObject({ node: of[1]!.node, system: { before: 'One.', after: 'Two.' } });
  });

  test('of two conversations with the same words each goes on behind its own ids', async () => {
    const [a, b] = ['call_aaaa1111', 'call_bbbb2222'];
    const { threads } = await placed([
      chat(1, [user('A')], calls(a!)),
      chat(2, [user('A')], calls(b!)),
      chat(3, [user('A'), calls(a!), result(a!)], assistant('B')),
      chat(4, [user('A'), calls(b!), result(b!)], assistant('B')),
    ]);
    expect(threads.slice(2)).toEqual(threads.slice(0, 2));
  });

  test('an id that two exchanges were given proves nothing', async () => {
    const same = 'call_aaaa1111';
    const { of } = await placed([
      chat(1, [system('One.'), user('A')], calls(same)),
      chat(2, [system('Two.'), user('B')], calls(same)),
      chat(3, [system('Three.'), user('C'), calls(same), result(same)], assistant('D')),
    ]);
    expect(of[2]).toMatchObject({ found: 'new' });
  });

  test('call_0 proves nothing, even the first time', async () => {
    const { of } = await placed([
      chat(1, [system('One.'), user('A')], calls('call_0')),
      chat(2, [system('Two.'), user('B'), calls('call_0'), result('call_0')], assistant('D')),
    ]);
    expect(of[1]).toMatchObject({ found: 'new' });
  });

  test("a proof of a reply that starts later, by another server's clock, counts for more than equal words before it", async () => {
    const { threads } = await placed([
      chat(0, [user('A')], calls('call_aaaa1111')),
      chat(1000, [user('A'), calls('call_bbbb2222'), result('call_bbbb2222')], assistant('B')),
      chat(3000, [user('A')], calls('call_bbbb2222'), { end: 3500 }),
    ]);
    expect(threads[1]).toBe(threads[2]);
    expect(threads[1]).not.toBe(threads[0]);
  });

  test("a request whose reply starts later, by another server's clock, has its place behind it", async () => {
    const { threads, words } = await placed([
      chat(1000, [user('A'), calls('call_8fj20dk3'), result('call_8fj20dk3')], assistant('B')),
      chat(3000, [user('A')], { ...calls('call_8fj20dk3') }, { end: 3500 }),
    ]);
    expect(threads[0]).toBe(threads[1]);
    expect(await words(threads[0]!)).toEqual(['A', '', 'found', 'B']);
  });
});

describe('words', () => {
  test('go on at a head before they branch off elsewhere', async () => {
    const { threads } = await placed([
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
    const { threads, of } = await placed([
      chat(1, [user('A')], assistant('B1'), { response }),
      chat(2, [user('A'), assistant('B2'), user('C')], assistant('D')),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(of[1]).toMatchObject({ parent: expect.any(String), found: 'words' });
  });

  test('are the same under a system text with another date in it', async () => {
    const { threads } = await placed([
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
    const { threads, of } = await placed([
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
    const { threads } = await placed([
      chat(1, [user('A')], assistant('B'), { end: 60_000 }),
      chat(2, [user('A'), assistant('B'), user('C')], assistant('D')),
    ]);
    expect(threads[1]).not.toBe(threads[0]);
  });

  test("of a reply that starts later, by another server's clock, count within the tolerance", async () => {
    const { threads, words } = await placed([
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
    const { threads, words } = await placed([
      chat(0, [asked(1), user('A')], assistant('B')),
      chat(10_000, [asked(3), user('A'), assistant('B'), user('C'), assistant('D'), user('E')], assistant('F')),
      chat(12_000, [asked(2), user('A'), assistant('B'), user('C')], assistant('D')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect((await words(threads[0]!)).slice(1)).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });

  test('of a branch before it do not keep a request from the reply that starts later by another clock', async () => {
    const { of, threads } = await placed([
      chat(1000, [user('A')], assistant('B')),
      chat(20_000, [user('A'), assistant('B'), user('C'), assistant('D'), user('E')], assistant('F')),
      chat(21_000, [user('A'), assistant('B'), user('C')], assistant('D')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[1]).toMatchObject({ way: 'continues', matched: 4 });
  });

  test("of a reply that was given twice do not leave the head at the second one, which starts later by another server's clock", async () => {
    const history = [user('A'), assistant('B'), user('C')];
    const { threads, words } = await placed([
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
    const { threads } = await placed([
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
    const { threads } = await placed([
      chat(1, [number(4711), user('Hi')], assistant('Hello!')),
      chat(20_000, [number(4712), user('Hi'), assistant('Hello!'), user('Two')], assistant('2')),
      chat(21_000, [number(4712), user('Hi')], assistant('Hello!')),
    ]);
    expect(threads[1]).toBe(threads[2]);
    expect(threads[1]).not.toBe(threads[0]);
  });

  test('under a system text with a number that changes count where just one thread fits', async () => {
    const used = (tokens: number) => system(`You have used ${tokens} tokens.`);
    const { threads } = await placed([
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
    const { threads, words } = await placed([
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
    const { threads, of } = await placed([
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
    const { threads, words } = await placed([
      chat(0, [user('A')], assistant('B')),
      chat(10_000, history, assistant('Whole')),
      { ...chat(12_000, history, assistant('')), ...cut },
    ]);
    expect(new Set(threads).size).toBe(1);
    expect((await words(threads[0]!)).at(-1)).toBe('Whole');
  });

  test("that start earlier, by another server's clock, take it over within the tolerance", async () => {
    const { threads, of } = await placed([chat(1000, [user('Hi')], assistant('Hello!')), cut(3000)]);
    expect(threads[0]).toBe(threads[1]);
    expect(of[0]).toMatchObject({ found: 'retry' });
  });

  test('later than a minute only by the count of the client', async () => {
    const { threads } = await placed([
      cut(1),
      cut(2, { hints: person('a') }),
      chat(100_000, [user('Hi')], assistant('Hello!')),
      chat(100_001, [user('Hi')], assistant('Hello!'), { hints: person('a'), retryCount: 1 }),
    ]);
    expect(threads[2]).not.toBe(threads[0]);
    expect(threads[3]).toBe(threads[1]);
  });

  test('of two requests that were cut side by side take over one each', async () => {
    const { threads } = await placed([
      cut(1, { end: 5000 }),
      cut(2, { end: 5001 }),
      chat(6000, [user('Hi')], assistant('Hello!')),
      chat(6001, [user('Hi')], assistant('Hello!')),
    ]);
    expect(new Set(threads).size).toBe(2);
    expect(new Set(threads.slice(2))).toEqual(new Set(threads.slice(0, 2)));
  });

  test('of a request in a thread that has a name do not, unless they have that name', async () => {
    const { threads } = await placed([
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
    const { threads } = await placed([
      chat(1, [system('One.'), talk[0]!], talk[1]!),
      chat(2, [system('One.'), ...talk.slice(0, 3)], talk[3]!),
      chat(3, asked, assistant(''), { response: cutStream('Di'), outcome: 'cut' }),
      chat(4, asked, talk[5]!),
      chat(5, [system('Two.'), ...talk, user('E')], assistant('F')),
    ]);
    expect(new Set(threads).size).toBe(1);
  });

  test('of another person do not', async () => {
    const { threads } = await placed([cut(1), chat(1000, [user('Hi')], assistant('Hello!'), { hints: person('b') })]);
    expect(threads[1]).not.toBe(threads[0]);
  });
});

describe('compacted histories', () => {
  const talk = Array.from({ length: 5 }, (_, at) => [user(`Question ${at}`), assistant(`Answer ${at}`)]).flat();
  const grown = Array.from({ length: 5 }, (_, at) => chat(at, talk.slice(0, at * 2 + 1), talk[at * 2 + 1]!));

  test('a window of the last turns goes on with its thread, which then sends just that window', async () => {
    const { threads, of, words, forest } = await placed([
      ...grown,
      chat(10, [...talk.slice(6), user('More')], assistant('!')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[5]).toMatchObject({ found: 'compacted', way: 'continues', compacted: { messages: 6, sentInstead: 0 } });
    expect(await words(threads[0]!)).toHaveLength(12);
    expect(await forest.contextChanges(threads[0]!)).toMatchObject([{ node: of[5]!.node, compacted: { messages: 6 } }]);
  });

  test('one turn alone does not', async () => {
    const { of } = await placed([...grown, chat(10, [...talk.slice(8), user('More')], assistant('!'))]);
    expect(of[5]).toMatchObject({ found: 'new' });
  });

  test('turns with another one between them are not a window of that thread', async () => {
    const between = [user('Something else'), assistant('Yes.')];
    const { of } = await placed([
      ...grown.slice(0, 2),
      chat(10, [...talk.slice(0, 2), ...between, ...talk.slice(2, 4), user('More')], assistant('!')),
    ]);
    expect(of[2]).toMatchObject({ found: 'words', matched: 2 });
  });

  test('a window that two conversations have belongs to neither', async () => {
    const other = [user('Another beginning'), assistant('Another answer'), ...talk.slice(2)];
    const { of } = await placed([
      ...grown,
      ...[0, 1, 2, 3, 4].map((at) => chat(5 + at, other.slice(0, at * 2 + 1), other[at * 2 + 1]!)),
      chat(10, [...talk.slice(6), user('More')], assistant('!')),
    ]);
    expect(of[10]).toMatchObject({ found: 'new' });
  });

  test("a window whose last reply starts later, by another server's clock, goes on with its thread", async () => {
    const { threads, of } = await placed([
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
    const { threads, of, words } = await placed([
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
    const { threads } = await placed([
      ...grown.map((one) => ({ ...one, hints })),
      chat(1000, [summedUp], assistant('Going on.'), { hints }),
      chat(3000, [...talk, user('Sum up')], assistant(summary), { hints }),
    ]);
    expect(new Set(threads).size).toBe(1);
  });

  test('an equal hint alone never joins', async () => {
    const hints = session('s');
    const { threads } = await placed([
      ...grown.map((one) => ({ ...one, hints })),
      chat(10, [user('Something else')], assistant('Yes.'), { hints }),
    ]);
    expect(new Set(threads).size).toBe(2);
  });
});

describe('sessions', () => {
  test('have their subagents and side calls as threads of their own, in one row', async () => {
    const hints = session('s');
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
    const withTools = (one: Recorded) => ({ ...one, request: JSON.stringify({ ...JSON.parse(one.request!), tools }) });
    const { forest, threads } = await placed([
      chat(1, [system('Generate a title for the conversation.'), user('Mend the bridge')], assistant('Bridge'), {
        hints,
      }),
      withTools(chat(2, [user('Mend the bridge')], assistant('I will.'), { hints })),
      withTools(
        chat(3, [user('Look at the piers')], assistant('Fine.'), { hints: { ...hints, agent: 'x', isSubagent: true } }),
      ),
    ]);
    expect(new Set(threads).size).toBe(3);
    const [row, ...others] = (await forest.threads.groups()).items;
    expect(others).toEqual([]);
    expect(row).toMatchObject({ kind: 'session', count: 3, thread: { id: threads[1], title: 'Mend the bridge' } });
    const parts = (await forest.threads.inGroup(row!.group!)).items.map(({ part }) => part);
    expect(parts.sort()).toEqual(['main', 'side', 'subagent']);
  });

  test('that go on with the conversation of another one belong to it', async () => {
    const { forest } = await placed([
      chat(1, [user('A')], calls('call_8fj20dk3'), { hints: session('s1') }),
      chat(2, [user('A'), calls('call_8fj20dk3'), result('call_8fj20dk3')], assistant('B'), { hints: session('s2') }),
      chat(3, [user('Other')], assistant('C'), { hints: session('s2') }),
    ]);
    expect((await forest.threads.groups()).items).toMatchObject([{ kind: 'session', count: 2 }]);
  });
});

describe('titles and lists', () => {
  const reminder = '<system-reminder>\nAs you answer the questions, you can use this.\n</system-reminder>\n';
  const context = '<session_context>\nThis is the Gemini CLI.\n</session_context>';

  test('what an agent puts in front of the first question is neither the title nor the opening', async () => {
    const { forest, threads } = await placed([
      chat(1, [user(`${reminder}read note.txt`)], assistant('Read.')),
      chat(2, [user(context), user('read note.txt')], assistant('Read.')),
      chat(3, [user(context), user('write note.txt')], assistant('Written.')),
    ]);
    const titles = await Promise.all(threads.map(async (id) => (await forest.threads.get(id)).title));
    expect(titles).toEqual(['read note.txt', 'read note.txt', 'write note.txt']);
    const rows = (await forest.threads.groups()).items;
    expect(rows.map(({ thread, count: of }) => [thread.title, of])).toEqual([
      ['write note.txt', 1],
      ['read note.txt', 2],
    ]);
  });

  test.each([
    ['OpenCode', [system('You are a title generator.'), user('Generate a title for this conversation:\n'), user('Hi')]],
    ['Open WebUI', [user('### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.')]],
    ['Open WebUI, for tags', [user('### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat.')]],
    ['LibreChat', [user('Provide a concise, 5-word-or-less title for the conversation, using title case.')]],
  ])("a program's request for a title is a side call: %s", async (_who, messages) => {
    const { forest, threads } = await placed([chat(1, messages, assistant('Greetings'))]);
    expect((await forest.threads.get(threads[0]!)).part).toBe('side');
  });

  test.each([
    ['alone', 'Warmup'],
    ['behind a reminder', `${reminder}Warmup`],
  ])('a warm-up with the tools of the session is a side call: %s', async (_how, words) => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
    const withTools = (one: Recorded) => ({ ...one, request: JSON.stringify({ ...JSON.parse(one.request!), tools }) });
    const hints = session('s');
    const { forest, threads } = await placed([
      withTools(chat(1, [system('You mend code.'), user(words)], assistant('Ready.'), { hints })),
      withTools(chat(2, [system('You mend code.'), user('Mend the bridge')], assistant('I will.'), { hints })),
    ]);
    expect((await forest.threads.get(threads[0]!)).part).toBe('side');
    expect((await forest.threads.groups()).items).toMatchObject([{ kind: 'session', thread: { id: threads[1] } }]);
  });

  test.each([
    'You sell books. Write friendly answers, with the titles of our books in italics.',
    'You help authors. You create outlines, titles and blurbs for their novels.',
  ])('an app whose instructions speak of titles has conversations: %s', async (instructions) => {
    const { forest, threads } = await placed([chat(1, [system(instructions), user('Hi')], assistant('Hello!'))]);
    expect((await forest.threads.get(threads[0]!)).part).toBe('main');
  });

  test.each([
    ['words', assistant('I have read all of the files, and the parser is where the fault is, in its third function.')],
    ['a proof', calls('call_8fj20dk3')],
  ])('a side call that shows a conversation to a router is no turn of it: %s', async (_by, first) => {
    const router = system('You are a specialized Task Routing AI. Classify the complexity of the request.');
    const isCall = first.tool_calls !== undefined;
    const asked = [user('Mend it'), first, ...(isCall ? [result('call_8fj20dk3')] : [user('And then?')])];
    const second = assistant('I have mended the parser, and the tests of all its functions pass now, nested ones too.');
    const shown = [...asked, second, user('Thanks')];
    const agent = system('You mend code.');
    const { forest, threads } = await placed([
      chat(1, [agent, user('Mend it')], first),
      chat(2, [agent, ...asked], second),
      chat(3, [router, ...shown], assistant('{"model":"small"}')),
      chat(4, [agent, ...shown], assistant('With pleasure.')),
    ]);
    expect([threads[1], threads[3]]).toEqual([threads[0], threads[0]]);
    expect(threads[2]).not.toBe(threads[0]);
    expect((await forest.threads.get(threads[2]!)).part).toBe('side');
    expect(await forest.contextChanges(threads[0]!)).toEqual([]);
  });

  test('a person who asks for a title has a conversation', async () => {
    const { forest, threads } = await placed([chat(1, [user('Write a title for my novel')], assistant('Fog'))]);
    expect((await forest.threads.get(threads[0]!)).part).toBe('main');
  });
});
