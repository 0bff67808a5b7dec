import { expect, test } from 'vitest';
import { createForest, type Forest, readSession } from '../../forest/index.ts';
import { memoryStore } from '../../store/index.ts';
import { importFile } from '../import-file.ts';
import { CLAUDE_CODE_LOG, CODEX_LOG, GEMINI_CLI_COMPACTED, OPENCODE_SESSION, PI_LOG } from './test-session-logs.ts';

const SUMMARY = 'The summary: a note says hello.';
const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');
const timestamp = '2026-11-01T12:01:00.000Z';

const codexItem = (role: string, type: string, text: string) => ({
  timestamp,
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type, text }] },
});

const openCode = (id: string, role: string, more: object, ...parts: readonly object[]) => ({
  info: { id, role, sessionID: 'ses_1', time: { created: 1793880010000 }, ...more },
  parts,
});

function withMessages(session: string, ...messages: readonly object[]): string {
  const value = JSON.parse(session) as { messages: object[] };
  return JSON.stringify({ ...value, messages: [...value.messages, ...messages] });
}

/** What each agent logs when it compacts a session, and the question and the answer behind it. */
const COMPACTED = [
  {
    agent: 'Claude Code',
    text: CLAUDE_CODE_LOG,
    messages: 6,
    sent: 'The summary: two files were compared.',
    kept: 'Left.',
  },
  {
    agent: 'Codex',
    text:
      CODEX_LOG +
      lines(
        {
          timestamp,
          type: 'compacted',
          payload: {
            message: '',
            replacement_history: [
              { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What is in the note?' }] },
              { type: 'message', role: 'user', content: [{ type: 'input_text', text: SUMMARY }] },
              { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAA' },
            ],
          },
        },
        codexItem('user', 'input_text', 'And now?'),
        codexItem('assistant', 'output_text', 'Done.'),
      ),
    messages: 7,
    sent: SUMMARY,
    kept: 'What is in the note?',
  },
  {
    agent: 'Gemini CLI',
    text: GEMINI_CLI_COMPACTED,
    messages: 6,
    sent: 'The summary: a note says hello.',
    kept: 'You are welcome.',
  },
  {
    agent: 'OpenCode',
    text: withMessages(
      OPENCODE_SESSION,
      openCode('msg_4', 'user', {}, { type: 'compaction', auto: true }),
      openCode(
        'msg_5',
        'assistant',
        { summary: true, modelID: 'gpt-5.5', providerID: 'openai' },
        { type: 'step-start' },
        { type: 'text', text: SUMMARY },
      ),
      openCode('msg_6', 'user', {}, { type: 'text', text: 'And now?' }),
      openCode(
        'msg_7',
        'assistant',
        { modelID: 'gpt-5.5', providerID: 'openai' },
        { type: 'step-start' },
        { type: 'text', text: 'Done.' },
      ),
    ),
    messages: 4,
    sent: SUMMARY,
    kept: 'What did we do so far?',
  },
  {
    agent: 'pi',
    text:
      PI_LOG +
      lines(
        { type: 'compaction', id: 'c1', parentId: 'e8', timestamp, summary: SUMMARY, firstKeptEntryId: 'e8' },
        {
          type: 'message',
          id: 'e9',
          parentId: 'c1',
          timestamp,
          message: { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
        },
        {
          type: 'message',
          id: 'e10',
          parentId: 'e9',
          timestamp,
          message: {
            role: 'assistant',
            api: 'openai-completions',
            model: 'gpt-4o',
            content: [{ type: 'text', text: 'Done.' }],
          },
        },
      ),
    messages: 6,
    sent: SUMMARY,
    kept: 'It says hello to you.',
  },
];

async function readSteps(forest: Forest, text: string) {
  const { threads, problems } = await importFile(forest, [text]);
  expect(problems).toEqual([]);
  const { main } = await readSession(forest, threads[0]!);
  return main.steps;
}

test.each(COMPACTED)(
  'a compaction in a log of $agent is a checkpoint at the next prompt, and the history stays',
  async ({ text, messages, sent, kept }) => {
    const forest = createForest(memoryStore());
    const steps = await readSteps(forest, text);
    const last = steps.at(-1)!;
    expect(last).toMatchObject({ prompt: 'And now?', answer: { text: 'Done.' }, compacted: { messages } });
    expect(last.compacted!.replacement).toContain(sent);
    expect(last.compacted!.replacement).toContain(kept);
    expect(steps.filter(({ compacted }) => compacted)).toHaveLength(1);
    // What took the place of the history is no prompt of a person.
    expect(steps.map(({ prompt }) => prompt).filter((prompt) => prompt.includes('The summary'))).toEqual([]);
    expect(await readSteps(forest, text)).toEqual(steps);
  },
);
