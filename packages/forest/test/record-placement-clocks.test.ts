/** Rules of placement (docs/recording.md): what the clocks of two servers change, and what they must not. */
import { describe, expect, test } from 'vitest';
import {
  assistant,
  calls,
  chat,
  cutStream,
  LONG,
  person,
  place,
  result,
  session,
  system,
  user,
} from './record-placement-kit.ts';

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

  test('has its place behind that under another system text, if that is the second long reply', async () => {
    const long = (text: string) => assistant(`${LONG} ${text}`);
    const { threads, of } = await place([
      chat(1, [system('One.'), A], long('One.')),
      chat(10_000, [system('Two.'), A, long('One.'), C, long('Two.'), E], F),
      chat(12_000, [system('One.'), A, long('One.'), C], long('Two.')),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of[1]).toMatchObject({ found: 'words', otherSystem: true, matched: 5 });
  });

  test('has its own place if that is of another person', async () => {
    const { threads } = await place([
      chat(1000, [A, B, C], D, { hints: person('a') }),
      chat(3000, [A], B, { hints: person('b') }),
    ]);
    expect(threads[0]).not.toBe(threads[1]);
  });

  test('has its own place if that is in a thread with another name', async () => {
    const { threads, words } = await place([
      chat(1000, [A, B, C], D, { thread: 'one' }),
      chat(2000, [A, B, C], D),
      chat(3000, [A], B, { thread: 'two' }),
    ]);
    expect(new Set(threads).size).toBe(3);
    expect(await words(threads[0]!)).toEqual(['A', 'B', 'C', 'D']);
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

describe('a proof', () => {
  const ID = 'call_8fj20dk3';

  test('is waited for also where the history begins with the reply', async () => {
    const { threads, of } = await place([
      chat(1000, [calls(ID), result(ID)], assistant('B')),
      chat(90_000, [A], calls(ID)),
    ]);
    expect(threads[0]).toBe(threads[1]);
    expect(of[0]).toMatchObject({ found: 'proof', way: 'continues' });
  });

  test('that was found stays one, although the id is issued again later', async () => {
    const { threads, of } = await place([
      chat(1, [system('One.'), A], calls(ID)),
      chat(2, [system('Two.'), A, calls(ID), result(ID)], B),
      chat(3, [system('Three.'), C], calls(ID)),
    ]);
    expect(threads[1]).toBe(threads[0]);
    expect(of[1]).toMatchObject({ found: 'proof' });
  });

  test('is the name of the last response, too, however late that arrives', async () => {
    const asked = (start: number, id: string, last: string | null, messages: object[], text: string) => ({
      ...chat(start, [], assistant('')),
      dialect: 'anthropic-messages',
      request: JSON.stringify({ model: 'm', max_tokens: 1, messages, diagnostics: { previous_message_id: last } }),
      response: JSON.stringify({
        id,
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text }],
      }),
    });
    const { threads, of } = await place([
      asked(1000, 'msg_b', 'msg_a', [A, B, C], 'D'),
      asked(90_000, 'msg_a', null, [A], 'B'),
    ]);
    expect(threads[0]).toBe(threads[1]);
    expect(of[0]).toMatchObject({ found: 'proof' });
  });
});

describe('a retry', () => {
  const cut = chat(90_000, [A], B, { response: cutStream('Hel'), outcome: 'cut', end: 100_000 });

  test.each([
    [160_000, {}, true],
    [160_001, {}, false],
    [160_001, { retryCount: 0 }, false],
    [160_001, { retryCount: 1 }, true],
    [95_000, {}, true],
    [94_999, {}, false],
  ])(
    'comes within a minute of the end of the request that was cut, or counts itself: at %i with %j',
    async (start, more, is) => {
      const { threads } = await place([cut, chat(start, [A], B, more)]);
      expect(threads[1] === threads[0]).toBe(is);
    },
  );
});
