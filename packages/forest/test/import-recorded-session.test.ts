/** A session that was recorded while it ran, and whose log is imported: one session, nothing twice. */
import { importFile, memoryStore, reproject } from '@skein/forest';
import { expect, test } from 'vitest';
import { CLAUDE_CODE_LOG } from '../src/formats/session-logs/test-session-logs.ts';
import { hashHint } from '../src/record/hints.ts';
import { type Recorded, recordsOf } from './record-exchanges.ts';
import { newForest } from './record-kit.ts';

const call = (id: string, file: string) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: file } });
const answer = (id: string, text: string) => ({ type: 'tool_result', tool_use_id: id, content: text });
const question = {
  role: 'user',
  content: [
    { type: 'text', text: '<system-reminder>\nUse tools.\n</system-reminder>' },
    { type: 'text', text: 'Compare the two files' },
  ],
};
const calls = [
  { type: 'thinking', thinking: 'Both.', signature: 'c2VhbA==' },
  call('toolu_1', 'a.txt'),
  call('toolu_2', 'b.txt'),
];
const results = { role: 'user', content: [answer('toolu_1', 'A'), answer('toolu_2', 'B')] };

/** What the agent sent and got, as the proxy recorded it. */
function recorded(): Recorded[] {
  const hints = { session: { 'x-claude-code-session-id': hashHint('session-1') }, group: hashHint('session-1') };
  const exchange = (id: string, start: number, messages: unknown[], reply: string, content: unknown): Recorded => ({
    id,
    start,
    dialect: 'anthropic-messages',
    request: JSON.stringify({ model: 'claude-opus-5-5', system: 'You are Claude Code.', messages }),
    response: JSON.stringify({
      id: reply,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      usage: { input_tokens: 10, output_tokens: 5 },
    }),
    hints,
  });
  const first = exchange('x1', 1, [question], 'msg_1', calls);
  const history = [question, { role: 'assistant', content: calls }, results];
  const text = [{ type: 'text', text: 'They differ.' }];
  const second = exchange('x2', 2, history, 'msg_2', text);
  const more = [...history, { role: 'assistant', content: text }, { role: 'user', content: 'Leave them' }];
  const left = [{ type: 'text', text: 'Left.' }];
  const asked = 'Your task is to create a detailed summary of the conversation so far.';
  const sumUp = [...more, { role: 'assistant', content: left }, { role: 'user', content: asked }];
  const next = [
    { role: 'user', content: `The session goes on. ${SUMMARY}` },
    { role: 'assistant', content: left },
    { role: 'user', content: 'And now?' },
  ];
  return [
    first,
    second,
    exchange('x3', 3, more, 'msg_4', left),
    exchange('x4', 4, sumUp, 'msg_6', [{ type: 'text', text: SUMMARY }]),
    exchange('x5', 5, next, 'msg_5', [{ type: 'text', text: 'Done.' }]),
  ];
}

const SUMMARY =
  'They wanted to have two files compared. The agent read both of them, found that they differ in their first letter, and said ' +
  'so. Then it was asked to leave them as they are, and left them. Nothing else is to be done with these two files.';

/** The log up to a line. */
const logUntil = (uuid: string) => {
  const lines = CLAUDE_CODE_LOG.trim().split('\n');
  return lines.slice(0, lines.findIndex((line) => line.includes(`"uuid":"${uuid}"`)) + 1).join('\n');
};

async function record(store = memoryStore(), exchanges = 3) {
  for (const one of recorded().slice(0, exchanges)) await store.append(recordsOf(one));
  const forest = newForest(store);
  await reproject(forest);
  return forest;
}

async function sessions(forest: Awaited<ReturnType<typeof record>>) {
  const { items } = await forest.threads.groups();
  return items.map(({ kind, count, thread }) => ({ kind, count, head: thread.head, title: thread.title }));
}

test('a recorded session and its log are one thread; the log adds what it knows', async () => {
  const forest = await record();
  const before = await sessions(forest);
  const { threads, problems } = await importFile(forest, [logUntil('a6')]);
  expect(problems).toEqual([]);
  const thread = await forest.threads.get(threads[0]!);
  expect(thread).toMatchObject({ recorded: true, agent: 'claude-code', cwd: '/home/mira/shop', branch: 'main' });
  expect(await sessions(forest)).toEqual(before);
  const path = await forest.path(thread.head);
  expect(path.map(({ message }) => message.role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'assistant',
  ]);
  // The rewound question was never recorded: it is a branch.
  expect((await forest.children(path[4]!.id)).items).toHaveLength(2);
  const total = await forest.usage({ thread: thread.id });
  expect(total.usage.output).toBe(15);
});

test('a log that was imported before its session was recorded is merged into the recorded thread', async () => {
  const store = memoryStore();
  const early = newForest(store);
  const [imported] = (await importFile(early, [logUntil('a6')])).threads;
  const forest = await record(store);
  const [thread] = (await importFile(forest, [logUntil('a6')])).threads;
  expect(thread).not.toBe(imported);
  expect(await forest.threads.get(imported!)).toMatchObject({ deleted: true });
  expect(await sessions(forest)).toHaveLength(1);
  expect((await forest.search('They differ')).items).toHaveLength(1);
});

test('a log that goes on where the recording ended continues the session', async () => {
  const forest = await record();
  const { threads } = await importFile(forest, [CLAUDE_CODE_LOG]);
  const thread = await forest.threads.get(threads[0]!);
  const words = (await forest.path(thread.head)).map(({ message }) => message.text);
  expect(words.slice(-4)).toEqual(['Leave them', 'Left.', 'And now?', 'Done.']);
  expect(words[0]).toBe('You are Claude Code.');
  expect(thread.forkedFrom).toBeDefined();
  expect(await sessions(forest)).toMatchObject([{ kind: 'session', count: 2 }]);
});

test('a compaction that was recorded and logged is one checkpoint, and no second thread', async () => {
  const forest = await record(memoryStore(), 5);
  const log = CLAUDE_CODE_LOG.replace('The summary: two files were compared.', `The session goes on. ${SUMMARY}`);
  const { threads, added } = await importFile(forest, [log]);
  const thread = await forest.threads.get(threads[0]!);
  expect(thread).toMatchObject({ recorded: true, part: 'main' });
  // Only the question that was taken back was never sent.
  expect(added).toBe(2);
  const words = (await forest.path(thread.head)).map(({ message }) => message.text);
  expect(words.slice(-4)).toEqual(['Leave them', 'Left.', 'And now?', 'Done.']);
  const changes = await forest.contextChanges(thread.id);
  expect(changes.filter(({ compacted }) => compacted)).toHaveLength(1);
  const { items } = await forest.threads.list({});
  expect(items.map(({ part }) => part).sort()).toEqual(['main', 'side']);
});
