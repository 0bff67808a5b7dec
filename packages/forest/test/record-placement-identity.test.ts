/** Rules of placement (docs/recording.md): who begins a thread, and what names, persons and issued ids decide. */
import { describe, expect, test } from 'vitest';
import type { Recorded } from './record-exchanges.ts';
import { assistant, calls, chat, person, place, result, session, system, user } from './record-placement-kit.ts';

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
    const { threads, words } = await place([...first, ...then]);
    expect(new Set(threads).size).toBe(10);
    for (const [at] of first.entries()) {
      expect(threads[10 + at]).toBe(threads[at]);
      expect(await words(threads[at]!)).toEqual(['Hi', 'Hello!', `I am ${at}`, 'Ah.']);
    }
  });

  test('also where every byte is the same and nothing tells them apart', async () => {
    const { threads, forest } = await place([1, 2, 3].map((at) => chat(at, [user('Hi')], assistant('Hello!'))));
    expect(new Set(threads).size).toBe(3);
    const rows = (await forest.threads.groups()).items;
    expect(rows).toMatchObject([{ kind: 'opening', count: 3 }]);
  });

  test('another app\'s "Hi" under another system text does not land in the first app\'s thread', async () => {
    const { threads, words } = await place([
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
    const { threads } = await place([
      chat(1, [...shots, user('4 + 4')], assistant('8')),
      chat(2, [...shots, user('5 + 5')], assistant('10')),
    ]);
    expect(threads[0]).not.toBe(threads[1]);
  });
});

describe('names', () => {
  test('x-skein-thread names a thread, also one that is not known yet, and joins across persons', async () => {
    const { threads, of } = await place([
      chat(1, [user('A')], assistant('B'), { thread: 'order-1', hints: person('a') }),
      chat(2, [user('C')], assistant('D'), { thread: 'order-1', hints: person('b') }),
      chat(3, [user('A')], assistant('B'), { thread: 'order-2' }),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(threads[2]).not.toBe(threads[0]);
    expect(of[0]).toMatchObject({ found: 'named' });
  });

  test("a client's own name for its conversation does not join across persons", async () => {
    const { threads } = await place([
      chat(1, [user('A')], assistant('B'), { hints: { ...person('a'), name: 'n' } }),
      chat(2, [user('A'), assistant('B'), user('C')], assistant('D'), { hints: { ...person('a'), name: 'n' } }),
      chat(3, [user('A'), assistant('B'), user('C')], assistant('D'), { hints: { ...person('b'), name: 'n' } }),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(threads[2]).not.toBe(threads[0]);
  });

  test('x-skein-thread with the id of a recorded thread goes on with it, also from a history that the server keeps', async () => {
    const first = [chat(1, [user('A')], assistant('B'))];
    const [id] = (await place(first)).threads;
    const kept = (start: number, previous: string | undefined, own: string, more: Partial<Recorded> = {}) => ({
      ...chat(start, [], assistant('')),
      dialect: 'openai-responses',
      request: JSON.stringify({ model: 'm', input: 'Q', ...(previous && { previous_response_id: previous }) }),
      response: JSON.stringify({ id: own, object: 'response', status: 'completed', model: 'm', output: [] }),
      ...more,
    });
    const { threads } = await place([
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
    const { threads, words } = await place([
      chat(0, [user('A')], assistant('B')),
      chat(10_000, [user('A'), assistant('B'), user('C')], assistant('D'), named),
      chat(12_000, [user('A')], assistant('B'), named),
    ]);
    expect(threads[1]).toBe(threads[2]);
    expect(await words(threads[1]!)).toEqual(['A', 'B', 'C', 'D']);
  });

  test('a thread that began under a name takes no others by their words', async () => {
    const { threads } = await place([
      chat(1, [user('A')], assistant('B'), { thread: 'mine' }),
      chat(2, [user('A'), assistant('B'), user('C')], assistant('D')),
    ]);
    expect(threads[1]).not.toBe(threads[0]);
  });
});

describe('hints', () => {
  test('different persons are never one thread, even with a proof', async () => {
    const { threads } = await place([
      chat(1, [user('A')], calls('call_8fj20dk3'), { hints: person('a') }),
      chat(2, [user('A'), calls('call_8fj20dk3'), result('call_8fj20dk3')], assistant('B'), { hints: person('b') }),
    ]);
    expect(threads[0]).not.toBe(threads[1]);
  });

  test('different sessions are one thread only with a proof', async () => {
    const { threads } = await place([
      chat(1, [user('A')], calls('call_8fj20dk3'), { hints: session('s1') }),
      chat(2, [user('A'), calls('call_8fj20dk3'), result('call_8fj20dk3')], assistant('B'), { hints: session('s2') }),
      chat(3, [user('X')], assistant('Y'), { hints: session('s3') }),
      chat(4, [user('X'), assistant('Y'), user('Z')], assistant('W'), { hints: session('s4') }),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(threads[3]).not.toBe(threads[2]);
  });

  test('a request that names nobody and fits two persons belongs to neither', async () => {
    const { threads } = await place([
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
    const { threads, of, forest } = await place([
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
    const { threads } = await place([
      chat(1, [user('A')], calls(a!)),
      chat(2, [user('A')], calls(b!)),
      chat(3, [user('A'), calls(a!), result(a!)], assistant('B')),
      chat(4, [user('A'), calls(b!), result(b!)], assistant('B')),
    ]);
    expect(threads.slice(2)).toEqual(threads.slice(0, 2));
  });

  test('an id that two exchanges were given proves nothing', async () => {
    const same = 'call_aaaa1111';
    const { of } = await place([
      chat(1, [system('One.'), user('A')], calls(same)),
      chat(2, [system('Two.'), user('B')], calls(same)),
      chat(3, [system('Three.'), user('C'), calls(same), result(same)], assistant('D')),
    ]);
    expect(of[2]).toMatchObject({ found: 'new' });
  });

  test('call_0 proves nothing, even the first time', async () => {
    const { of } = await place([
      chat(1, [system('One.'), user('A')], calls('call_0')),
      chat(2, [system('Two.'), user('B'), calls('call_0'), result('call_0')], assistant('D')),
    ]);
    expect(of[1]).toMatchObject({ found: 'new' });
  });

  test("a proof of a reply that starts later, by another server's clock, counts for more than equal words before it", async () => {
    const { threads } = await place([
      chat(0, [user('A')], calls('call_aaaa1111')),
      chat(1000, [user('A'), calls('call_bbbb2222'), result('call_bbbb2222')], assistant('B')),
      chat(3000, [user('A')], calls('call_bbbb2222'), { end: 3500 }),
    ]);
    expect(threads[1]).toBe(threads[2]);
    expect(threads[1]).not.toBe(threads[0]);
  });

  test("a request whose reply starts later, by another server's clock, has its place behind it", async () => {
    const { threads, words } = await place([
      chat(1000, [user('A'), calls('call_8fj20dk3'), result('call_8fj20dk3')], assistant('B')),
      chat(3000, [user('A')], { ...calls('call_8fj20dk3') }, { end: 3500 }),
    ]);
    expect(threads[0]).toBe(threads[1]);
    expect(await words(threads[0]!)).toEqual(['A', '', 'found', 'B']);
  });
});
