import { MessageList, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { createForest, type Forest, type ForestNode, importFile, memoryStore } from '../index.ts';
import { chatgptConversation } from './test-chatgpt.ts';
import { claudeConversation } from './test-claude.ts';
import { SOURCES } from './test-sources.ts';
import { uiChat } from './test-ui-messages.ts';

const empty = () => createForest(memoryStore());

async function headPath(forest: Forest, thread: string): Promise<ForestNode[]> {
  return forest.path((await forest.threads.get(thread)).head);
}

/** Everything in a forest, to compare. */
async function contents(forest: Forest) {
  const { store } = forest;
  const { items: nodes } = await store.scan({ limit: 10_000 });
  const refs = await Promise.all(
    (['thread', 'node', 'bookmark', 'older'] as const).map((on) => store.refs({ on, limit: 10_000 })),
  );
  return { nodes, takes: await store.takes(nodes.map(({ id }) => id)), refs: refs.flatMap(({ items }) => items) };
}

describe.each(SOURCES)('$name', ({ text, dialect, format, roles }) => {
  const options = dialect === undefined ? {} : { dialect };

  test('is recognised, and its messages are there in order', async () => {
    const forest = empty();
    const imported = await importFile(forest, [text], options);
    expect(imported).toMatchObject({ format, problems: [] });
    const path = await headPath(forest, imported.threads[0]!);
    expect(path.map(({ role }) => role)).toEqual(roles);
    expect(path.every(({ takes }) => takes[0]?.via === 'import')).toBe(true);
    expect(await forest.fsck()).toEqual([]);
  });

  test('twice is once', async () => {
    const forest = empty();
    const first = await importFile(forest, [text], options);
    const before = await contents(forest);
    const again = await importFile(forest, [text], options);
    expect(again).toMatchObject({ threads: first.threads, added: 0, problems: [] });
    expect(await contents(forest)).toEqual(before);
  });

  test('comes in pieces of any size, and as bytes', async () => {
    const whole = await importFile(empty(), [text], options);
    const bytes = new TextEncoder().encode(text);
    const forest = empty();
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7));
    expect(await importFile(forest, pieces, options)).toEqual(whole);
  });
});

test('a list that is one very long line is still a list', async () => {
  const long = { ...claudeConversation, padding: 'x'.repeat(2 ** 20) };
  const text = JSON.stringify([long, { ...long, uuid: 'k-2' }]);
  expect(await importFile(empty(), [text])).toMatchObject({ format: 'claude', elements: 2, problems: [] });
});

describe('what each format keeps', () => {
  test('messages of a dialect keep every byte', async () => {
    const forest = empty();
    const { text } = SOURCES[0]!;
    const { threads } = await importFile(forest, [text], { dialect: 'openai-chat' });
    expect((await headPath(forest, threads[0]!)).at(-1)?.message.raw).toBe(
      '{"role":"assistant","content":"x","n":9007199254740993}',
    );
  });

  test('our own lists and states come back with their origins', async () => {
    const list = new MessageList([user('Hi')]);
    const forest = empty();
    const { format, threads } = await importFile(forest, [JSON.stringify(list)]);
    expect(format).toBe('message-list');
    expect((await headPath(forest, threads[0]!))[0]?.message.raw).toBe(user('Hi').raw);
    const state = { version: 2, processed_length: 0, list };
    expect(await importFile(empty(), [JSON.stringify(state)])).toMatchObject({ format: 'chat-state', messages: 1 });
  });

  test('members beside the messages are kept in the last take, exactly', async () => {
    const forest = empty();
    const line =
      '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"seed":9007199254740993,"tools":[]}';
    const { threads } = await importFile(forest, [line]);
    const path = await headPath(forest, threads[0]!);
    expect(path[1]?.takes[0]?.extra).toEqual({ seed: { json: '9007199254740993' }, tools: [] });
    expect(path[0]?.takes[0]?.extra).toBeUndefined();
  });

  test("ChatGPT's branches, calls, pictures, thoughts and times", async () => {
    const forest = empty();
    const { threads } = await importFile(forest, [JSON.stringify([chatgptConversation])]);
    const thread = await forest.threads.get(threads[0]!);
    expect(thread).toMatchObject({ title: 'Rivers', createdAt: 1735689600250, updatedAt: 1735689700500 });
    const { raw } = (await forest.path(thread.head))[0]!.message;
    const [word] = raw.match(/(?<=\s)\p{L}{4,}/u)!;
    expect((await forest.search(word)).items[0]).toMatchObject({ thread: thread.id, title: 'Rivers' });
    const path = await headPath(forest, thread.id);
    const [question, call, result, thought, answer] = path;
    expect(question?.message.content[0]).toMatchObject({ type: 'media', source: { id: 'file-service://file-9' } });
    expect(question?.takes[0]?.extra).toMatchObject({ content: { parts: [{ width: 10 }, 'Which river?'] } });
    expect(call?.message.toolUses[0]).toMatchObject({ name: 'python', parameters: { input: 'print(1)' } });
    expect(result?.message.toolResults[0]).toMatchObject({ toolCallId: 'code' });
    expect(thought?.message.content[0]).toMatchObject({ type: 'reasoning' });
    expect(answer).toMatchObject({
      at: 1735689606000,
      takes: [{ model: 'gpt-5', author: 'model', at: 1735689606000 }],
    });
    const siblings = await forest.siblings(call!.id);
    expect(siblings.map(({ message }) => message.text)).toEqual(['The Rhine.', '']);
  });

  test("Claude's branches, attachments, and calls in the middle of an answer", async () => {
    const forest = empty();
    const { threads } = await importFile(forest, [JSON.stringify(claudeConversation)], { format: 'claude' });
    const [question, call, , answer] = await headPath(forest, threads[0]!);
    expect(question?.message.content).toMatchObject([
      { type: 'media', mediaType: 'text/plain', name: 'cities.txt', source: { data: 'UGFyaXM=' } },
      { type: 'media', mediaType: 'image/*', source: { id: 'f-1' } },
      { type: 'text', text: 'Weather?' },
    ]);
    expect(call?.message.content.map(({ type }) => type)).toEqual(['reasoning', 'tool-use']);
    expect(answer?.message.text).toBe('Sunny.');
    expect((await forest.siblings(call!.id)).map(({ message }) => message.text)).toEqual(['', 'Rainy.']);
  });

  test('UI messages: parallel calls stay together, errors are errors, unknown parts stay', async () => {
    const forest = empty();
    const { threads } = await importFile(forest, [JSON.stringify({ id: 'chat-1', messages: uiChat })]);
    const [asked, calls, first, second, answer] = await headPath(forest, threads[0]!);
    expect(asked?.message.content[1]).toMatchObject({
      mediaType: 'image/png',
      source: { kind: 'base64', data: 'AA==' },
    });
    expect(calls?.message.toolUses.map(({ name }) => name)).toEqual(['weather', 'time']);
    expect(calls?.takes[0]?.extra).toEqual({ id: 'a1', metadata: { took: 3 } });
    expect(first?.message.text).toBe('{"c":4}');
    expect(second?.message.toolResults[0]?.isError).toBe(true);
    expect(answer?.message.content[0]).toEqual({ type: 'unknown', native: '{"type":"data-chart","data":[1]}' });
  });

  test("LangChain's usage and model", async () => {
    const forest = empty();
    const { threads } = await importFile(forest, [SOURCES.find(({ format }) => format === 'langchain')!.text]);
    const path = await headPath(forest, threads[0]!);
    expect(path[2]?.takes[0]).toMatchObject({
      model: 'gpt-4o',
      author: 'model',
      usage: { input: 10, output: 3, reasoning: 2 },
    });
    expect(path[2]?.message.toolUses[0]?.rawParameters).toBe('{"a":1}');
  });
});

test.each([
  ['chatgpt', { mapping: { a: { parent: null, message: { ...said('x'), author: { role: 'critic' } } } } }],
  ['claude', { chat_messages: [{ uuid: 'm', sender: 'robot', text: 'x' }] }],
  ['langchain', [{ type: 'remove', data: { content: 'x' } }]],
  ['ui-messages', [{ role: 'data', parts: [{ type: 'text', text: 'x' }] }]],
])("%s: a message of an unknown kind is kept whole, and is nobody's words", async (format, value) => {
  const forest = empty();
  const { problems } = await importFile(forest, [JSON.stringify(value)]);
  const { items } = await forest.leaves();
  expect([problems, items.map(({ message }) => [message.content[0]?.type, message.text])]).toEqual([
    [],
    [['unknown', '']],
  ]);
  expect(format).not.toBe('');
});

describe('importing again', () => {
  test('a conversation that grew moves its thread on, and keeps what was renamed since', async () => {
    const forest = empty();
    const short = structuredClone(chatgptConversation) as typeof chatgptConversation;
    short.current_node = 'answer-1';
    short.update_time = 1735689650;
    const { threads } = await importFile(forest, [JSON.stringify([short])]);
    await forest.threads.rename(threads[0]!, 'Mine');
    await importFile(forest, [JSON.stringify([chatgptConversation])]);
    expect((await headPath(forest, threads[0]!)).at(-1)?.message.text).toBe('The Elbe.');
    expect((await forest.threads.get(threads[0]!)).title).toBe('Mine');
  });

  test('does not bring back what was removed or moved', async () => {
    const forest = empty();
    const { threads } = await importFile(forest, [JSON.stringify([chatgptConversation])]);
    const path = await headPath(forest, threads[0]!);
    const [rhine] = await forest.siblings(path[1]!.id);
    await forest.remove(rhine!.id);
    await forest.split(path[4]!.id, 4);
    await importFile(forest, [JSON.stringify([chatgptConversation])]);
    expect((await forest.node(rhine!.id)).removed).toBe(true);
    expect((await headPath(forest, threads[0]!)).map(({ message }) => message.text).slice(-2)).toEqual([
      'The ',
      'Elbe.',
    ]);
    expect(await forest.fsck()).toEqual([]);
  });
});

describe('what cannot be read', () => {
  test.each([
    ['nothing', '', 'not_json', 'empty'],
    ['no JSON', 'Dear diary', 'not_json', 'no JSON'],
    ['another shape', '{"a":1}', 'unknown_format', 'Looked for: segments'],
    ['bare messages', '[{"role":"user","content":"x"}]', 'unknown_format', 'dialect'],
    ['a request', '{"model":"m","messages":[]}', 'unknown_format', 'mapping'],
  ])('%s is an error that says what was looked for', async (_, text, code, words) => {
    const error = await importFile(empty(), [text]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'FormatError', code });
    expect(String(error)).toContain(words);
  });

  test('a format that does not exist, a dialect that is missing or does not exist', async () => {
    await expect(importFile(empty(), ['[]'], { format: 'x' as never })).rejects.toMatchObject({
      code: 'unknown_format',
    });
    const list = ['[{"role":"user","content":"x"}]'];
    await expect(importFile(empty(), list, { format: 'messages' })).rejects.toMatchObject({ code: 'dialect_needed' });
    await expect(importFile(empty(), list, { dialect: 'klingon' })).rejects.toThrow('klingon');
  });

  test('a bad line is reported, and the others are there', async () => {
    const forest = empty();
    const good = (n: number) => JSON.stringify({ messages: [{ role: 'user', content: `q${n}` }] });
    const lines = [good(1), '{"messages":[{"role"', '{"messages":5}', '{"messages":[{"content":"x"}]}', '', good(2)];
    const imported = await importFile(forest, [lines.join('\n')]);
    expect(imported).toMatchObject({ elements: 2, messages: 2 });
    expect(imported.problems.map(({ where, code }) => [where, code])).toEqual([
      ['line 2', 'not_json'],
      ['line 3', 'wrong_shape'],
      ['line 4', 'wrong_shape'],
    ]);
  });

  test('a bad conversation of a list is reported, and nothing of it is written', async () => {
    const forest = empty();
    const broken = {
      ...claudeConversation,
      uuid: 'k-2',
      chat_messages: [...claudeConversation.chat_messages, 7 as never],
    };
    const text = `[${JSON.stringify(broken)},{"chat_messages":[}, ${JSON.stringify(claudeConversation)}]`;
    const imported = await importFile(forest, [text], { format: 'claude' });
    expect(imported.problems.map(({ where }) => where)).toEqual(['element 0', 'element 1']);
    expect(imported.threads).toHaveLength(1);
    expect((await forest.threads.list()).items).toHaveLength(1);
  });

  test('a conversation with a broken line is left out: a history with a hole would be another one', async () => {
    const forest = empty();
    const text = '{"role":"user","content":"a"}\n{"role":"assis\n{"role":"user","content":"b"}';
    const imported = await importFile(forest, [text], { dialect: 'openai-chat' });
    expect(imported).toMatchObject({ messages: 0, problems: [{ where: 'line 2' }] });
    expect((await contents(forest)).nodes).toEqual([]);
  });

  test('messages of another dialect than was said', async () => {
    const { problems } = await importFile(empty(), ['[{"parts":[{"text":"x"}]}]'], { dialect: 'openai-chat' });
    expect(problems).toMatchObject([{ code: 'wrong_shape' }]);
  });

  test('a tree that is none', async () => {
    const circle = { mapping: { a: { parent: 'b', message: said('a') }, b: { parent: 'a', message: said('b') } } };
    const { problems } = await importFile(empty(), [JSON.stringify(circle)]);
    expect(problems).toMatchObject([{ code: 'broken_tree' }]);
  });
});

function said(text: string) {
  return { author: { role: 'user' }, content: { content_type: 'text', parts: [text] } };
}
