import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createForest, type Forest, importFile, memoryStore } from '../index.ts';
import { chatgptConversation } from './test-chatgpt.ts';
import { claudeConversation } from './test-claude.ts';
import { EXPORTS, PIXEL, writeLlmLog } from './test-exports.ts';
import { makeZip } from './test-zip.ts';

const empty = () => createForest(memoryStore());

async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skein-export-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

async function talk(forest: Forest, thread: string) {
  return forest.path((await forest.threads.get(thread)).head);
}
const words = async (forest: Forest, thread: string) =>
  (await talk(forest, thread)).map(({ role, message }) => `${role}: ${message.text}`);

test("ChatGPT's and Claude's exports come as a zip, as its folder and as a stream, with their files", async () => {
  const nothing = {
    ...chatgptConversation,
    conversation_id: 'c-2',
    mapping: { root: { id: 'root', message: null, parent: null } },
  };
  const chatgpt = {
    'user.json': '{"id":"user-1"}',
    'conversations.json': JSON.stringify([chatgptConversation, nothing]),
    'dalle-generations/file-9-river.dat': PIXEL,
    '__MACOSX/._conversations.json': 'x',
  };
  const folder = await folderWith({ 'chatgpt.zip': makeZip(chatgpt) });
  const unpacked = await folderWith(chatgpt);
  const zip = makeZip(chatgpt);
  const pieces = [zip.subarray(0, 2), zip.subarray(2, 40), zip.subarray(40)];
  for (const source of [join(folder, 'chatgpt.zip'), unpacked, pieces]) {
    const forest = empty();
    const result = await importFile(forest, source);
    expect(result).toMatchObject({
      format: 'chatgpt',
      elements: 1,
      problems: [],
      notes: ['1 without any message: left out.'],
    });
    const [question, ...rest] = await talk(forest, result.threads[0]!);
    // The hidden message without a word is left out.
    expect([question?.role, ...rest.map(({ role }) => role)]).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'assistant',
    ]);
    const image = { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: PIXEL.toString('base64') } };
    expect(question?.message.content[0]).toMatchObject(image);
    expect(question?.at).toBe(1735689601000);
    expect((await importFile(forest, source)).added).toBe(0);
  }
  const forest = empty();
  const claude = makeZip({
    'projects.json': '[]',
    'conversations.json': JSON.stringify([claudeConversation]),
    'users.json': '[]',
  });
  const result = await importFile(forest, [claude]);
  expect(result).toMatchObject({ format: 'claude', problems: [] });
  expect(result.notes.join()).toContain('are not in the export, such as map.png');
});

test('an archive that is none, that leads elsewhere, or that has no conversations says so', async () => {
  const wrong = (files: Record<string, string>) => importFile(empty(), [makeZip(files)]);
  await expect(wrong({ 'notes.json': '{"a":1}' })).rejects.toThrow(
    /no conversations in a known format. It has: notes.json/,
  );
  await expect(wrong({ 'Takeout/MyActivity.html': '<p>' })).rejects.toThrow('ask for the export in JSON, not in HTML');
  await expect(wrong({ '../conversations.json': '[]' })).rejects.toThrow('is not a zip that can be read');
  await expect(importFile(empty(), [makeZip({ 'conversations.json': '[]' }).subarray(0, 60)])).rejects.toThrow(
    'is not a zip that can be read',
  );
});

test.each(EXPORTS)('%s', async (format, source, expected) => {
  const forest = empty();
  const text = JSON.stringify(source);
  const result = await importFile(forest, [text]);
  expect(result).toMatchObject({ format, problems: [] });
  expect(await words(forest, result.threads[0]!)).toEqual(expected);
  const last = (await talk(forest, result.threads[0]!)).at(-1)!;
  expect(last.takes[0]?.author).toBe('model');
  expect(new Date((await forest.threads.get(result.threads[0]!)).createdAt).getUTCFullYear()).toBe(2025);
  expect(await importFile(forest, [text])).toMatchObject({ threads: result.threads, added: 0 });
});

test('the log of llm, from its database: conversations, system text once, tools and attachments', async () => {
  const folder = await folderWith({});
  const path = join(folder, 'logs.db');
  writeLlmLog(path);
  const forest = empty();
  const result = await importFile(forest, path);
  expect(result).toMatchObject({ format: 'llm', elements: 1, problems: [] });
  expect(await words(forest, result.threads[0]!)).toEqual([
    'system: Be brief.',
    'user: Which river?',
    'assistant: The Elbe.',
    'user: And the next?',
    'assistant: The Rhine.',
  ]);
  const [, question, answer] = await talk(forest, result.threads[0]!);
  expect(question?.message.content[0]).toMatchObject({ type: 'media', mediaType: 'image/png' });
  expect(answer).toMatchObject({
    at: Date.UTC(2025, 0, 1, 0, 0, 0, 250),
    takes: [{ model: 'gpt-5', usage: { input: 7, output: 3 } }],
  });
});

test('a conversation without dates or id is found again when it has grown, and grows', async () => {
  const forest = empty();
  const asked = { role: 'user', content: 'Which river?' };
  const said = { role: 'assistant', content: 'The Elbe.' };
  const more = [
    { role: 'user', content: 'And the next?' },
    { role: 'assistant', content: 'The Rhine.' },
  ];
  const put = (messages: object[]) => importFile(forest, [JSON.stringify({ messages })], { format: 'fine-tuning' });
  const { threads } = await put([asked, said]);
  expect((await put([asked, said, ...more])).threads).toEqual(threads);
  expect(await words(forest, threads[0]!)).toHaveLength(4);
  expect(await put([asked, said, ...more])).toMatchObject({ threads, added: 0 });
  // An older copy takes nothing back.
  expect((await put([asked, said])).threads).toEqual(threads);
  expect(await words(forest, threads[0]!)).toHaveLength(4);
  // Two conversations of one file stay two, although one begins like the other.
  const other = empty();
  const both = [
    [asked, said],
    [asked, said, ...more],
  ]
    .map((messages) => JSON.stringify({ messages }))
    .join('\n');
  const first = await importFile(other, [both], { format: 'fine-tuning' });
  expect(first.threads).toHaveLength(2);
  expect((await importFile(other, [both], { format: 'fine-tuning' })).threads).toEqual(first.threads);
});
