/** Rules of placement (docs/recording.md): inside a thread that has a name, and behind a history that the API keeps. */
import { describe, expect, test } from 'vitest';
import { sha256 } from '../src/model/ids.ts';
import type { Recorded } from './record-exchanges.ts';
import { assistant, calls, chat, person, place, result, system, user } from './record-placement-kit.ts';

const [A, B, C, D] = [user('A'), assistant('B'), user('C'), assistant('D')];
const mine = { thread: 'mine' };
const ID = 'call_8fj20dk3';

describe('in a named thread', () => {
  test('another system text over the same history goes on below the first one', async () => {
    const { of, words } = await place([
      chat(1, [system('One.'), A], B, mine),
      chat(2, [system('Two.'), A, B, C], D, mine),
    ]);
    expect(of[1]).toMatchObject({ found: 'named', way: 'continues', matched: 3, otherSystem: true });
    expect(await words(of[0]!.thread as string)).toEqual(['One.', 'A', 'B', 'C', 'D']);
  });

  test('another system text over another history begins at the root', async () => {
    const { of, words } = await place([chat(1, [system('One.'), A], B, mine), chat(2, [system('Two.'), C], D, mine)]);
    expect(of[1]).toMatchObject({ found: 'named', way: 'branches', matched: 0 });
    expect(await words(of[0]!.thread as string)).toEqual(['Two.', 'C', 'D']);
  });

  test.each([
    ['A', ['Two.', 'A', 'B', 'C', 'D']],
    ['Z', ['One.', 'A', 'B', 'C', 'D']],
  ])('a history goes on under its own system text, if another thread has it there: %s', async (first, path) => {
    const { of, words } = await place([
      chat(1, [system('Two.'), user(first)], B),
      chat(2, [system('One.'), A], B, mine),
      chat(3, [system('Two.'), A, B, C], D, mine),
    ]);
    expect(await words(of[1]!.thread as string)).toEqual(path);
  });

  test('a reply that the client changed is found by its id', async () => {
    const changed = { ...calls(ID), content: 'Changed' };
    const { of, words } = await place([
      chat(1, [A], calls(ID), mine),
      chat(2, [A, changed, result(ID)], B, mine),
      chat(3, [A, changed, result(ID), B, C], D, mine),
    ]);
    expect(of.map(({ way }) => way)).toEqual(['starts', 'continues', 'continues']);
    expect(await words(of[0]!.thread as string)).toEqual(['A', '', 'found', 'B', 'C', 'D']);
  });

  test('a reply that the client changed and that has no id is another one', async () => {
    const { of, words } = await place([chat(1, [A], B, mine), chat(2, [A, assistant('Changed'), C], D, mine)]);
    expect(of[1]).toMatchObject({ found: 'named', way: 'branches', matched: 1 });
    expect(await words(of[0]!.thread as string)).toEqual(['A', 'Changed', 'C', 'D']);
  });

  test('an id that was issued in another thread leads nowhere', async () => {
    const { of, words } = await place([
      chat(1, [A], calls(ID), { thread: 'other' }),
      chat(2, [C], D, mine),
      chat(3, [user('E'), calls(ID), result(ID)], B, mine),
    ]);
    expect(of[2]).toMatchObject({ way: 'branches', matched: 0 });
    expect(of[2]).not.toHaveProperty('compacted');
    expect(await words(of[1]!.thread as string)).toEqual(['E', '', 'found', 'B']);
  });

  test('a request for a summary stays', async () => {
    const asks = user('Your task is to create a detailed summary of the conversation so far.');
    const { threads, of } = await place([chat(1, [A], B, mine), chat(2, [A, B, asks], D, mine)]);
    expect(threads[1]).toBe(threads[0]);
    expect(of[1]).toMatchObject({ found: 'named', way: 'continues' });
  });

  test('of a client, each name is a conversation, which takes no others by their words', async () => {
    const named = (name: string) => ({ hints: { name } });
    const { of, threads } = await place([
      chat(1, [A], B, named('n')),
      chat(2, [A, B, C], D, named('o')),
      chat(3, [A, B, C], D),
      chat(4, [A, B, C], D, named('n')),
    ]);
    expect(of[0]).toMatchObject({ found: 'named' });
    expect(new Set(threads).size).toBe(3);
    expect(threads[3]).toBe(threads[0]);
  });
});

describe('behind a history that the API keeps', () => {
  const item = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
  const kept = (start: number, body: object, id: string | undefined, text?: string, more: Partial<Recorded> = {}) => ({
    ...chat(start, [], assistant('')),
    dialect: 'openai-responses',
    request: JSON.stringify({ model: 'm', ...body }),
    response: JSON.stringify({ id, object: 'response', status: 'completed', output: text ? [item(text)] : [] }),
    ...more,
  });

  test('two requests that continue one unrecorded response are two threads, and take no others by their words', async () => {
    const after = { input: 'Q', previous_response_id: 'resp_0' };
    const { of, threads } = await place([
      kept(1, after, 'resp_1', 'A1'),
      kept(2, after, 'resp_2', 'A2'),
      kept(3, { input: [{ role: 'user', content: 'Q' }, item('A1'), { role: 'user', content: 'R' }] }, 'resp_3', 'A3'),
    ]);
    expect(of.map(({ unrecorded }) => unrecorded)).toEqual(['resp_0', 'resp_0', undefined]);
    expect(new Set(threads).size).toBe(3);
  });

  const [said, asked] = [
    (content: string) => ({ role: 'developer', content }),
    (content: string) => ({ role: 'user', content }),
  ];

  test('a system text among the messages of a request that continues an unrecorded response is its system text', async () => {
    const { of } = await place([
      kept(1, { input: [said('Be brief.'), asked('Q')], previous_response_id: 'resp_0' }, 'resp_1', 'A1'),
    ]);
    expect(of[0]).not.toHaveProperty('otherSystem');
  });

  test('a system text that first came behind an unrecorded response still keeps conversations apart', async () => {
    const { threads } = await place([
      kept(1, { input: [said('You sell shoes.'), asked('Q')], previous_response_id: 'resp_0' }, 'resp_1', 'A1'),
      kept(2, { input: [said('You sell shoes.'), asked('Hi')], store: false }, 'resp_2', 'Hello'),
      kept(3, { input: [asked('Hi'), item('Hello'), asked('More')], store: false }, 'resp_3', 'Yes'),
    ]);
    expect(threads[2]).not.toBe(threads[1]);
  });

  test('a conversation goes on behind an answer without an id', async () => {
    const conversation = 'conv_1';
    const { threads, words, of } = await place([
      kept(1, { input: 'Q1', conversation }, undefined, 'A1'),
      kept(2, { input: 'Q2', conversation }, 'resp_2', 'A2'),
      kept(3, { input: 'Q3', conversation }, 'resp_3', 'A3'),
    ]);
    expect(new Set(threads).size).toBe(1);
    expect(of.map(({ way, found }) => [way, found])).toEqual([
      ['starts', 'new'],
      ['continues', 'named'],
      ['continues', 'named'],
    ]);
    expect(await words(threads[0]!)).toEqual(['Q1', 'A1', 'Q2', 'A2', 'Q3', 'A3']);
  });

  test('a request of another person who names the thread is in that thread', async () => {
    const { threads } = await place([
      kept(1, { input: 'Q1' }, 'resp_1', 'A1', { hints: person('a') }),
      kept(2, { input: 'Q2', previous_response_id: 'resp_1' }, 'resp_2', 'A2', { hints: person('b') }),
      kept(3, { input: 'Q3', previous_response_id: 'resp_1' }, 'resp_3', 'A3', { ...mine, hints: person('a') }),
      kept(4, { input: 'Q4', previous_response_id: 'resp_3' }, 'resp_4', 'A4', { ...mine, hints: person('b') }),
    ]);
    expect(new Set(threads).size).toBe(3);
    expect(threads[3]).toBe(threads[2]);
  });
});

test('the id of a thread is the same in every release: titles, tags and notes are stored under it', async () => {
  const { of } = await place([
    { ...chat(1, [A], B), id: 'x1' },
    { ...chat(2, [A], B, mine), id: 'x2' },
    { ...chat(3, [A], B, { hints: { name: 'n' } }), id: 'x3' },
  ]);
  expect(of.map(({ thread }) => thread)).toEqual(
    ['exchange\nx1', 'name\nmine', 'client\nn'].map((from) => sha256(`skein-recorded/1\n${from}`).slice(0, 16)),
  );
});

describe('what has no name', () => {
  test('is a new thread at the root if nothing else matches', async () => {
    const { of } = await place([chat(1, [A], B)]);
    expect(of[0]).toMatchObject({ found: 'new', by: 'exact', matched: 0, way: 'starts' });
  });

  test('a side call that is continued is one thread', async () => {
    const titles = system('You are a title generator.');
    const { forest, threads } = await place([chat(1, [titles, A], B), chat(2, [titles, A, B, C], D)]);
    expect(threads[1]).toBe(threads[0]);
    expect((await forest.threads.list()).items).toHaveLength(1);
  });

  test('an answer that leads to the words of a thread and to no window of it is found by its words', async () => {
    const { of } = await place([
      chat(1, [A], B),
      chat(2, [A, B, C], D),
      chat(3, [A, B, C, D, user('E'), assistant('Unknown'), user('F')], assistant('G')),
    ]);
    expect(of[2]).toMatchObject({ found: 'words', way: 'continues', matched: 4 });
  });

  test('goes on behind a reply that the client sends back as two messages: nothing was compacted', async () => {
    const call = { ...calls(ID), content: 'Looking.' };
    const { of } = await place([chat(1, [A], call), chat(2, [A, assistant('Looking.'), calls(ID), result(ID)], B)]);
    expect(of[1]).toMatchObject({ found: 'proof', way: 'continues' });
    expect(of[1]).not.toHaveProperty('compacted');
  });

  test('goes on behind the reply with the exact text that it sends back', async () => {
    const { of, forest } = await place([
      chat(1, [A], B),
      chat(2, [A], { ...B, reasoning_content: 'hm' } as typeof B),
      chat(3, [A, B, C], D),
    ]);
    expect(of[2]).toMatchObject({ thread: of[1]!.thread, added: [expect.any(String)], by: 'exact' });
    expect(of[0]!.node).not.toBe(of[1]!.node);
    const path = await forest.path(of[2]!.node as string);
    expect(path.map(({ id }) => id)).toContain(of[0]!.node);
  });

  test('goes on behind a reply to no question', async () => {
    const { threads } = await place([chat(1, [], B), chat(2, [B, A], D)]);
    expect(threads[1]).toBe(threads[0]);
  });
});
