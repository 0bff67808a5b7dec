import type { ContentBlock } from '@skein/core';
import { expect, test } from 'vitest';
import { createForest } from '../../forest/index.ts';
import { memoryStore } from '../../store/index.ts';
import { importFile } from '../import-file.ts';
import {
  CLAUDE_CODE_LOG,
  CODEX_LOG,
  GEMINI_CLI_LOG,
  OPENCODE_SESSION,
  PI_LOG,
} from '../session-logs/test-session-logs.ts';
import { WRITABLE_AGENTS, writeSession } from './index.ts';

const LOGS = {
  'claude-code': CLAUDE_CODE_LOG,
  codex: CODEX_LOG,
  'gemini-cli': GEMINI_CLI_LOG,
  opencode: OPENCODE_SESSION,
  pi: PI_LOG,
};

async function read(text: string) {
  const forest = createForest(memoryStore());
  const { threads, format, problems } = await importFile(forest, [text]);
  const { head } = await forest.threads.get(threads[0]!);
  const path = await forest.path(head);
  const said = path.filter(({ role }) => role !== 'system').flatMap(({ message }) => message.content);
  const words = said.flatMap((block) => (block.type === 'tool-result' ? block.content : [block])).flatMap(textOf);
  return { forest, thread: threads[0]!, format, problems, path, words };
}

function textOf(block: ContentBlock): string[] {
  return block.type === 'text' ? [block.text] : [];
}

const pairs = Object.entries(LOGS).flatMap(([from, text]) => WRITABLE_AGENTS.map((to) => ({ from, to, text })));

test.each(pairs)('a session of $from is written for $to, and says the same there', async ({ from, to, text }) => {
  const before = await read(text);
  const id = '0b9f0d1e-5c1a-4b6e-8d55-5f3c7c7f1a2b';
  const written = await writeSession(before.forest, before.thread, { agent: to, id });
  expect(written.resume[0]).toBe(to === 'claude-code' ? 'claude' : to);
  expect(written.files).toHaveLength(1);
  expect(await writeSession(before.forest, before.thread, { agent: to, id })).toEqual(written);
  const after = await read(written.files[0]!.text);
  expect(after).toMatchObject({ format: to, problems: [] });
  for (const text of before.words) expect(after.words.join('\n')).toContain(text);
  const sealed = JSON.stringify(before.path.map(({ message }) => message.raw)).includes('c2VhbA==');
  if (from === to && sealed && to !== 'opencode')
    expect(JSON.stringify(after.path.map(({ message }) => message.raw))).toContain('c2VhbA==');
});

test('every item of a session for Codex names its type, and messages have parts: it drops others without a word', async () => {
  for (const log of [GEMINI_CLI_LOG, PI_LOG]) {
    const { forest, thread } = await read(log);
    const { files } = await writeSession(forest, thread, { agent: 'codex' });
    const lines = files[0]!.text.trimEnd().split('\n');
    const items = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'response_item');
    expect(items.length).toBeGreaterThan(2);
    for (const { payload } of items) {
      expect(payload.type).toEqual(expect.any(String));
      if (payload.type === 'message') expect(payload.content[0].text).toEqual(expect.any(String));
    }
  }
});

test('thoughts are written for pi only if their model goes on: it would repeat them as texts with one id', async () => {
  const { forest, thread } = await read(PI_LOG);
  const written = async (model?: string) =>
    (await writeSession(forest, thread, { agent: 'pi', ...(model && { model }) })).files[0]!.text;
  expect(await written()).toContain('"thinking"');
  expect(await written('another-model')).not.toContain('"thinking"');
});

test('calls of tools that the other agent does not have become text, and that is told', async () => {
  const { forest, thread } = await read(CLAUDE_CODE_LOG);
  const { losses } = await writeSession(forest, thread, { agent: 'codex' });
  const told = losses.map(({ kind, reason, detail }) => [kind, reason, detail]);
  expect(told).toContainEqual(['rewritten', 'foreign-tool', 'Read']);
  expect(told).toContainEqual(['dropped', 'foreign-reasoning', undefined]);
  const own = await writeSession(forest, thread, { agent: 'claude-code' });
  expect(own.losses.map(({ reason }) => reason)).not.toContain('foreign-tool');
});

test('an agent whose sessions cannot be written is named, with those that can', async () => {
  const { forest, thread } = await read(PI_LOG);
  await expect(writeSession(forest, thread, { agent: 'gemini-cli' })).rejects.toThrow(
    /"gemini-cli" cannot be written.*claude-code, codex/,
  );
});
