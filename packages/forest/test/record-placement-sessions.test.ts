/** Rules of placement (docs/recording.md): sessions, side calls, titles and openings in lists. */
import { describe, expect, test } from 'vitest';
import type { Recorded } from './record-exchanges.ts';
import { assistant, calls, chat, place, result, session, system, user } from './record-placement-kit.ts';

describe('sessions', () => {
  test('have their subagents and side calls as threads of their own, in one row', async () => {
    const hints = session('s');
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
    const withTools = (one: Recorded) => ({ ...one, request: JSON.stringify({ ...JSON.parse(one.request!), tools }) });
    const { forest, threads } = await place([
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
    const { forest } = await place([
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
    const { forest, threads } = await place([
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
    const { forest, threads } = await place([chat(1, messages, assistant('Greetings'))]);
    expect((await forest.threads.get(threads[0]!)).part).toBe('side');
  });

  test('the request of pi for the summary of a compaction is a side call', async () => {
    const instructions = system('You are a context summarization assistant. Produce a structured summary.');
    const shown = user('<conversation>\n[User]: Mend it\n</conversation>\n\nSummarize it.');
    const { forest, threads } = await place([chat(1, [instructions, shown], assistant('Goal: mend it.'))]);
    expect((await forest.threads.get(threads[0]!)).part).toBe('side');
  });

  test.each([
    ['alone', 'Warmup'],
    ['behind a reminder', `${reminder}Warmup`],
  ])('a warm-up with the tools of the session is a side call: %s', async (_how, words) => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
    const withTools = (one: Recorded) => ({ ...one, request: JSON.stringify({ ...JSON.parse(one.request!), tools }) });
    const hints = session('s');
    const { forest, threads } = await place([
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
    const { forest, threads } = await place([chat(1, [system(instructions), user('Hi')], assistant('Hello!'))]);
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
    const { forest, threads } = await place([
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
    const { forest, threads } = await place([chat(1, [user('Write a title for my novel')], assistant('Fog'))]);
    expect((await forest.threads.get(threads[0]!)).part).toBe('main');
  });
});
