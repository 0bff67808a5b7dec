import { anthropicMessages, googleGenerateContent, type Message, openaiResponses } from '@skein/core';
import { expect, test } from 'vitest';
import {
  createForest,
  type Forest,
  makeGroupRefs,
  makeRef,
  openingGroupId,
  sessionGroupId,
} from '../../forest/index.ts';
import { hashHint } from '../../record/hints.ts';
import { memoryStore } from '../../store/index.ts';
import { importFile } from '../import-file.ts';

/** A thread as the recorder leaves it. */
async function record(forest: Forest, group: string, messages: readonly Message[]): Promise<string> {
  let parent = 'root';
  for (const message of messages) parent = await forest.append(parent, [message]);
  const { id } = await forest.threads.create({ head: parent, title: 'Recorded' });
  const facts = { recorded: true, group };
  await forest.store.append([
    ...Object.entries(facts).map(([name, value]) => makeRef(forest, 'thread', id, name, value)),
    ...(await makeGroupRefs(forest, [{ group, thread: id, touched: 1 }])),
  ]);
  return id;
}

const lines = (...values: object[]) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;
const item = (value: object) => openaiResponses.parseMessage(JSON.stringify(value));
const turn = (value: object) => anthropicMessages.parseMessage(JSON.stringify(value));

test('a log of Codex meets what was recorded behind the reply to a warm-up, which says nothing', async () => {
  const forest = createForest(memoryStore());
  const said = (role: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  });
  const group = sessionGroupId(hashHint('thread-1'));
  const thread = await record(forest, group, [
    item(said('developer', 'Be brief.')),
    openaiResponses.parseMessage('[]'),
    item(said('user', 'Hello')),
    openaiResponses.parseMessage(JSON.stringify([said('assistant', 'Hi.')])),
  ]);
  const items = [said('developer', 'Be brief.'), said('user', 'Hello'), said('assistant', 'Hi.')];
  const timestamp = '2026-11-01T12:00:00.000Z';
  const log = lines(
    { timestamp, type: 'session_meta', payload: { id: 'thread-1', cwd: '/w' } },
    ...items.map((payload) => ({ timestamp, type: 'response_item', payload })),
  );
  expect(await importFile(forest, [log])).toMatchObject({ format: 'codex', threads: [thread], added: 0 });
});

const CALL = { id: 'toolu_1', name: 'read_file', input: { path: 'note' } };
const RESULT = { functionResponse: { id: 'read_file__toolu_1', name: 'read_file', response: { output: 'hello' } } };
const GEMINI_LOG = lines(
  { sessionId: 'g-1', projectHash: 'abc', kind: 'main' },
  { id: 'g0', type: 'user', content: [{ text: '<session_context>\nToday\n</session_context>' }] },
  { id: 'g1', type: 'user', content: [{ text: 'What is in the note?' }] },
  {
    id: 'g2',
    type: 'gemini',
    content: '',
    toolCalls: [{ id: 'read_file__toolu_1', name: 'read_file', args: CALL.input, result: [RESULT] }],
  },
  { id: 'g3', type: 'user', content: [RESULT] },
  { id: 'g4', type: 'gemini', content: 'It says hello.' },
  { $set: { messages: [{ id: 'new', type: 'user', content: [RESULT] }] } },
  { id: 'g5', type: 'user', content: [{ text: 'Thanks' }] },
  { id: 'g6', type: 'gemini', content: 'Welcome.' },
);

test('a log of Gemini CLI, which sends no session, meets the thread with its first words and its calls, results once', async () => {
  const forest = createForest(memoryStore());
  const session = (id: string) => [
    // Parts that are texts are read as one.
    googleGenerateContent.parseMessage(
      JSON.stringify({
        role: 'user',
        parts: [{ text: '<session_context>\nToday\n</session_context>' }, { text: 'What is in the note?' }],
      }),
    ),
    turn({ role: 'assistant', content: [{ type: 'tool_use', ...CALL, id }] }),
    turn({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'hello' }] }),
    turn({ role: 'assistant', content: [{ type: 'text', text: 'It says hello.' }] }),
    turn({ role: 'user', content: 'Thanks' }),
    turn({ role: 'assistant', content: [{ type: 'text', text: 'Welcome.' }] }),
  ];
  const group = openingGroupId('What is in the note?')!;
  await record(forest, group, session('toolu_of_another_session'));
  const thread = await record(forest, group, session('toolu_1'));
  expect(await importFile(forest, [GEMINI_LOG])).toMatchObject({ format: 'gemini-cli', threads: [thread], added: 0 });
});
