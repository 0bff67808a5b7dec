import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createForest, type Forest } from '../../forest/index.ts';
import { memoryStore } from '../../store/index.ts';
import { exportText } from '../export/export-text.ts';
import { importFile } from '../import-file.ts';
import { CLAUDE_CODE_LOG, CODEX_LOG, GEMINI_CLI_LOG, OPENCODE_SESSION, PI_LOG } from './test-session-logs.ts';

const LOGS = [
  { format: 'claude-code', text: CLAUDE_CODE_LOG },
  { format: 'codex', text: CODEX_LOG },
  { format: 'gemini-cli', text: GEMINI_CLI_LOG },
  { format: 'pi', text: PI_LOG },
  { format: 'opencode', text: OPENCODE_SESSION },
];

async function read(text: string) {
  const forest = createForest(memoryStore());
  const result = await importFile(forest, [text]);
  const thread = (await forest.threads.get(result.threads[0]!))!;
  const path = await forest.path(thread.head);
  return { forest, result, thread, path, said: path.map(({ message }) => `${message.role}: ${message.text}`) };
}

test.each(LOGS)('a log of $format is recognised, and imported once however often', async ({ format, text }) => {
  const { forest, result } = await read(text);
  expect(result).toMatchObject({ format, problems: [] });
  const again = await importFile(forest, [text]);
  expect(again).toMatchObject({ threads: result.threads, added: 0 });
});

test('of Claude Code: one message for a reply and for its results, branches, and a compaction as a checkpoint', async () => {
  const { forest, thread, path, said } = await read(CLAUDE_CODE_LOG);
  expect(said).toEqual([
    'user: Compare the two files',
    'assistant: ',
    'tool: AB',
    'assistant: They differ.',
    'user: Leave them',
    'assistant: Left.',
    'user: And now?',
    'assistant: Done.',
  ]);
  expect(path[1]!.message.raw).toBe(
    '{"role":"assistant","content":[{"type":"thinking","thinking":"Both.","signature":"c2VhbA=="},{"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"a.txt"}},{"type":"tool_use","id":"toolu_2","name":"Read","input":{"file_path":"b.txt"}}]}',
  );
  expect(thread).toMatchObject({
    title: 'Two files',
    agent: 'claude-code',
    cwd: '/home/mira/shop',
    branch: 'main',
    agentVersion: '2.1.0',
    part: 'main',
  });
  expect((await forest.children(path[3]!.id)).items).toHaveLength(2);
  const [take] = path[1]!.takes;
  expect(take).toMatchObject({ model: 'claude-opus-5-5', usage: { input: 10, cacheRead: 90, output: 5 } });
});

test('of Codex: items as they were sent, usage, and a branch where turns were taken back', async () => {
  const { forest, path, said } = await read(CODEX_LOG);
  expect(said).toEqual([
    'system: Be exact.',
    'user: What is in the note?',
    'assistant: ',
    'tool: hello',
    'assistant: It says hello.',
    'user: Longer',
    'assistant: It says hello to you.',
  ]);
  expect(path[1]!.message.raw).not.toContain('internal_chat');
  expect(path[2]!.message.raw).toContain('"encrypted_content":"gAAA"');
  expect(path[2]!.takes[0]).toMatchObject({ usage: { input: 40, cacheRead: 60, output: 7, reasoning: 2 } });
  expect((await forest.children(path[4]!.id)).items).toHaveLength(2);
});

test('of Gemini CLI: a result that stands in two places is there once, and a resume repeats nothing', async () => {
  const { said } = await read(GEMINI_CLI_LOG);
  expect(said).toEqual([
    'user: What is in the note?',
    'assistant: ',
    'tool: hello',
    'assistant: It says hello.',
    'user: Thanks',
    'assistant: You are welcome.',
  ]);
});

test('of pi and OpenCode: replies in the protocol that they came by, with what the provider sealed', async () => {
  const pi = await read(PI_LOG);
  const dialects = pi.path.map(({ message }) => message.origin.dialect);
  expect(new Set(dialects).size).toBe(4);
  expect(pi.path[1]!.message.raw).toContain('"signature":"c2VhbA=="');
  expect(pi.path[3]!.message.raw).toContain('"encrypted_content":"gAAA"');
  expect(pi.path[3]!.message.raw).toContain('"phase":"final_answer"');
  expect(pi.said.at(-1)).toBe('assistant: It says hello to you.');
  const opencode = await read(OPENCODE_SESSION);
  expect(opencode.said).toEqual([
    'user: What is in the note?',
    'assistant: ',
    'tool: hello',
    'assistant: It says hello.',
  ]);
  expect(opencode.path[3]!.message.raw).toContain('"encrypted_content":"gAAA"');
});

test('a log that is cut, doubled, out of order or has unknown lines is read as far as it goes, and nothing is thrown', async () => {
  const inLines = LOGS.filter(({ format }) => format !== 'opencode');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...inLines),
      fc.array(fc.tuple(fc.nat(), fc.nat(4), fc.nat()), { maxLength: 4 }),
      async ({ format, text }, changes) => {
        const lines = text.trim().split('\n');
        for (const [where, kind, other] of changes) {
          const at = 1 + (where % Math.max(1, lines.length - 1));
          if (kind === 0) lines.splice(at, 1);
          else if (kind === 1) lines.splice(at, 0, lines[1 + (other % Math.max(1, lines.length - 1))] ?? '{}');
          else if (kind === 2) lines.splice(at, 0, '{"type":"news","what":1}');
          else if (kind === 3) lines[at] = (lines[at] ?? '').slice(0, other % 40);
          else swap(lines, at, 1 + (other % Math.max(1, lines.length - 1)));
        }
        const kept = lines.join('\n');
        const words = lines
          .filter((line) => isJson(line))
          .flatMap((line) => [...line.matchAll(/"text":"([^"\\]+)"/g)].map(([, said]) => said!));
        const forest = createForest(memoryStore());
        const result = await importFile(forest, [kept], { format });
        if (result.threads.length === 0) return;
        const stored = await everything(forest);
        for (const word of words) expect(stored).toContain(word);
      },
    ),
    { numRuns: 60 },
  );
});

test('an export of OpenCode whose messages and parts are gone, doubled, swapped or unknown is read as far as it goes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), fc.nat(), fc.nat(3), fc.nat()), { maxLength: 4 }),
      async (changes) => {
        const session = JSON.parse(OPENCODE_SESSION) as { messages: { parts: unknown[] }[] };
        for (const [isPart, where, kind, other] of changes) {
          const list: unknown[] = isPart
            ? (session.messages[where % Math.max(1, session.messages.length)]?.parts ?? [])
            : session.messages;
          if (list.length === 0) continue;
          const at = other % list.length;
          if (kind === 0) list.splice(at, 1);
          else if (kind === 1) list.splice(at, 0, structuredClone(list[0]));
          else if (kind === 2) swap(list, at, 0);
          else list.splice(at, 0, isPart ? { type: 'news', what: 1 } : { info: { role: 'news' }, parts: [] });
        }
        const text = JSON.stringify(session);
        const forest = createForest(memoryStore());
        const result = await importFile(forest, [text], { format: 'opencode' });
        if (result.threads.length === 0) return;
        const stored = await everything(forest);
        for (const [, said] of text.matchAll(/"text":"([^"\\]+)"/g)) expect(stored).toContain(said);
      },
    ),
    { numRuns: 60 },
  );
});

function swap(list: unknown[], a: number, b: number): void {
  [list[a], list[b]] = [list[b], list[a]];
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

/** All records of a forest, checkpoints included. */
async function everything(forest: Forest): Promise<string> {
  const { items } = await forest.store.refs({ on: 'node', limit: 1000 });
  const pieces = [JSON.stringify(items)];
  for await (const piece of exportText(forest, { format: 'segments', of: 'everything' })) pieces.push(piece);
  return pieces.join('\n');
}

const CORPUS = join(
  process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../../../shared/corpus', import.meta.url)),
  'agents',
);

test.skipIf(!hasCorpus())('the logs of the corpus are read without a problem', async () => {
  const files = readdirSync(CORPUS, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.jsonl') && !name.includes('opencode'),
  );
  for (const name of files) {
    const { result, said } = await read(readFileSync(join(CORPUS, name), 'utf8'));
    expect(result.problems, name).toEqual([]);
    expect(said.length, name).toBeGreaterThan(2);
  }
  console.log(`${files.length} logs of coding agents were read.`);
});

function hasCorpus(): boolean {
  try {
    return readdirSync(CORPUS).length > 0;
  } catch {
    return false;
  }
}
