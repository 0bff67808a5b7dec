/** Rules of placement (docs/recording.md): what the clocks of two servers change, and what they must not. */
import { describe, expect, test } from 'vitest';
import { assistant, chat, place, session, system, user } from './record-placement-kit.ts';

const [A, B, C, D, E, F] = [user('A'), assistant('B'), user('C'), assistant('D'), user('E'), assistant('F')];
const sealed = (text: string) => ({ ...assistant(text), reasoning_content: `About ${text}` });

describe('a request that leads to its last reply', () => {
  test('is not taken for one of another conversation that begins with the same words a moment later', async () => {
    const { threads } = await place([
      chat(1000, [A], B),
      chat(10_000, [A, B, C], D),
      chat(12_000, [A], B),
      chat(14_000, [A, B, user('Other')], assistant('Yes')),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(threads[2]).not.toBe(threads[0]);
    expect(threads[3]).toBe(threads[2]);
  });

  test('under another number is not taken for one of a conversation under a third number', async () => {
    const number = (of: number) => system(`The customer has the number ${of}.`);
    const { threads } = await place([
      chat(1000, [number(1), A], B),
      chat(10_000, [number(2), A, B, C], D),
      chat(12_000, [number(3), A], B),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(threads[2]).not.toBe(threads[0]);
  });
});

describe('a request whose last reply starts later by another clock', () => {
  test('has its place behind that, also if the question was answered otherwise before', async () => {
    const { threads, of, words } = await place([
      chat(1000, [A], B),
      chat(2000, [A, B, C], assistant('Otherwise')),
      chat(20_000, [A, B, C, D, E], F),
      chat(21_000, [A, B, C], D),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[2]).toMatchObject({ matched: 4, way: 'continues' });
    expect(await words(threads[0]!)).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });

  test('has its place behind that under another count, too', async () => {
    const asked = (count: number) => system(`You were asked ${count} questions.`);
    const { of } = await place([
      chat(0, [asked(1), A], B),
      chat(10_000, [asked(3), A, B, C, D, E], F),
      chat(12_000, [asked(2), A, B, C], D),
    ]);
    expect(of[1]).toMatchObject({ matched: 5, way: 'continues' });
  });

  test('is a turn of the whole conversation with its words, not of another one that ends with them', async () => {
    const talk = [user('First'), assistant('Yes.'), A, B, C, D];
    const { threads, of } = await place([
      chat(1, talk.slice(0, 1), talk[1]!),
      chat(2, talk.slice(0, 3), B),
      chat(3, talk.slice(0, 5), D),
      chat(20_000, [A], B),
      chat(30_000, [A, B, C, D, E], F),
      chat(31_000, [A, B, C], D),
    ]);
    expect(threads[4]).toBe(threads[3]);
    expect(threads[5]).toBe(threads[3]);
    expect(threads[3]).not.toBe(threads[0]);
    expect(of[4]).toMatchObject({ found: 'words', matched: 4 });
  });

  const summary = Array.from({ length: 30 }, (_, at) => `It said ${at * at}.`).join(' ');
  test.each([
    ['behind a system text', [system('You mend bridges.')], `Before: ${summary}`],
    ['of just 200 characters', [], summary.slice(0, 200)],
  ])('and is a summary goes on with its thread: %s', async (_what, lead, text) => {
    const hints = session('s');
    const { threads } = await place([
      chat(1, [...lead, A], B, { hints }),
      chat(1000, [...lead, user(text)], assistant('Going on.'), { hints }),
      chat(3000, [...lead, A, B, C], assistant(summary), { hints }),
    ]);
    expect(new Set(threads).size).toBe(1);
  });
});

describe('a reply that is given again a moment later', () => {
  const history = [A, B, C];

  test('does not end the thread before what the client said to it, also if it is sent back in other bytes', async () => {
    const { threads, words } = await place([
      chat(1000, [A], sealed('B')),
      chat(10_000, history, sealed('D')),
      chat(31_000, [...history, D, E], F),
      chat(33_000, history, sealed('D')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(await words(threads[0]!)).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });

  test('does not end a named thread before what the client said to it', async () => {
    const named = { thread: 'mine' };
    const { threads, words } = await place([
      chat(1000, [A], B, named),
      chat(10_000, history, D, named),
      chat(31_000, [...history, D, E], F, named),
      chat(33_000, history, D, named),
    ]);
    expect(await words(threads[0]!)).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
  });
});
