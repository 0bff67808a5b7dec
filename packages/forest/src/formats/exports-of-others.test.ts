import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, onTestFinished, test } from 'vitest';
import { createForest, type Forest, importFile, memoryStore } from '../index.ts';
import { chatgptConversation } from './test-chatgpt.ts';
import { claudeConversation } from './test-claude.ts';
import { makeZip } from './test-zip.ts';

const PIXEL = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
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

const user = (id: string, parentId: string | null, content: string) => ({
  id,
  parentId,
  role: 'user',
  content,
  timestamp: 1735689600,
});

test.each([
  [
    'gemini-takeout',
    [
      {
        header: 'Gemini Apps',
        title: 'Prompted Which river?',
        time: '2025-01-01T00:00:00Z',
        safeHtmlItem: [{ html: '<p>The <b>Elbe</b> &amp; more</p>' }],
      },
    ],
    ['user: Which river?', 'assistant: The Elbe & more'],
  ],
  [
    'openrouter',
    {
      version: 'orpg.3.0',
      title: 'Rivers',
      characters: { c1: { model: 'openai/gpt-5' } },
      messages: {
        m2: {
          id: 'm2',
          characterId: 'c1',
          type: 'assistant',
          parentMessageId: 'm1',
          createdAt: '2025-01-01T00:00:02Z',
          items: [{ id: 'i2' }, { id: 'i3' }],
        },
        m1: { id: 'm1', characterId: 'USER', type: 'user', createdAt: '2025-01-01T00:00:01Z', items: [{ id: 'i1' }] },
      },
      items: {
        i1: { data: { type: 'message', content: [{ type: 'input_text', text: 'Which river?' }] } },
        i2: { data: { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Maybe the Elbe' }] } },
        i3: { data: { type: 'message', content: [{ type: 'output_text', text: 'The Elbe.' }] } },
      },
    },
    ['user: Which river?', 'assistant: The Elbe.'],
  ],
  [
    'librechat',
    {
      conversationId: 'l-1',
      title: 'Rivers',
      messages: [
        {
          messageId: 'a',
          parentMessageId: '00000000-0000-0000-0000-000000000000',
          isCreatedByUser: true,
          text: 'Which river?',
        },
        {
          messageId: 'b',
          parentMessageId: 'a',
          isCreatedByUser: false,
          model: 'gpt-5',
          createdAt: '2025-01-01T00:00:00Z',
          content: [
            { type: 'tool_call', tool_call: { id: 't', name: 'look', args: '{"n":1}', output: 'wet' } },
            { type: 'text', text: { value: 'The Elbe.' } },
          ],
        },
      ],
    },
    ['user: Which river?', 'assistant: ', 'tool: wet', 'assistant: The Elbe.'],
  ],
  [
    'open-webui',
    [
      {
        id: 'w-1',
        title: 'Rivers',
        updated_at: 1735689700,
        chat: {
          history: {
            currentId: 'b',
            messages: {
              a: user('a', null, 'Which river?'),
              b: {
                ...user(
                  'b',
                  'a',
                  '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> Hm\n</details>\nThe Elbe.',
                ),
                role: 'assistant',
                model: 'llama',
              },
              c: { ...user('c', 'a', 'The Rhine.'), role: 'assistant' },
            },
          },
        },
      },
    ],
    ['user: Which river?', 'assistant: The Elbe.'],
  ],
  [
    'lm-studio',
    {
      name: 'Rivers',
      createdAt: 1735689600000,
      systemPrompt: 'Be brief.',
      messages: [
        {
          currentlySelected: 0,
          versions: [{ type: 'singleStep', role: 'user', content: [{ type: 'text', text: 'Which river?' }] }],
        },
        {
          currentlySelected: 1,
          versions: [
            {
              type: 'multiStep',
              role: 'assistant',
              steps: [{ type: 'contentBlock', content: [{ type: 'text', text: 'The Rhine.' }] }],
            },
            {
              type: 'multiStep',
              role: 'assistant',
              steps: [
                {
                  type: 'contentBlock',
                  genInfo: { identifier: 'qwen' },
                  content: [{ type: 'text', text: 'The Elbe.' }],
                },
              ],
            },
          ],
        },
      ],
    },
    ['system: Be brief.', 'user: Which river?', 'assistant: The Elbe.'],
  ],
])('%s', async (format, source, expected) => {
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
  const database = new sqlite.Database(path);
  database.run('CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT)');
  database.run(
    'CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id TEXT, datetime_utc TEXT, input_tokens INTEGER, output_tokens INTEGER)',
  );
  database.run('CREATE TABLE attachments (id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB)');
  database.run('CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER)');
  database.run("INSERT INTO conversations VALUES ('v', 'Rivers', 'gpt-5')");
  const add = (row: (string | number)[]) =>
    database.run('INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', row);
  add(['r2', 'gpt-5', 'And the next?', 'Be brief.', 'The Rhine.', 'v', '2025-01-01T00:00:05.5', 9, 3]);
  add(['r1', 'gpt-5', 'Which river?', 'Be brief.', 'The Elbe.', 'v', '2025-01-01T00:00:00.25', 7, 3]);
  database.run('INSERT INTO attachments VALUES (?, ?, NULL, NULL, ?)', ['h', 'image/png', PIXEL]);
  database.run("INSERT INTO prompt_attachments VALUES ('r1', 'h', 0)");
  database.close();
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
