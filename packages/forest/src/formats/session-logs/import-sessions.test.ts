import { createHash } from 'node:crypto';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createForest } from '../../forest/index.ts';
import { memoryStore } from '../../store/index.ts';
import { importFile } from '../import-file.ts';
import { importSessions } from './import-sessions.ts';
import { CLAUDE_CODE_LOG, CODEX_LOG, GEMINI_CLI_LOG, OPENCODE_SESSION, PI_LOG } from './test-session-logs.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'skein-agents-'));
  const line = JSON.parse(CLAUDE_CODE_LOG.split('\n')[1]!) as Record<string, unknown>;
  const side = { ...line, isSidechain: true, agentId: 'agent1', message: { role: 'user', content: 'Look at a.txt' } };
  const projects = '.claude/projects/-home-mira-shop';
  const files = {
    [`${projects}/session-1.jsonl`]: CLAUDE_CODE_LOG,
    [`${projects}/session-1/subagents/agent-agent1.jsonl`]: `${JSON.stringify(side)}\n`,
    [`${projects}/session-1/subagents/agent-agent1.meta.json`]: '{"agentType":"Explore","toolUseId":"toolu_1"}',
    '.codex/sessions/2026/11/01/rollout-2026-11-01T12-00-00-thread-1.jsonl': CODEX_LOG,
    '.codex/history.jsonl': '{"not":"a session"}\n',
    '.gemini/tmp/shop/chats/session-2026-11-01-gemini-1.jsonl': GEMINI_CLI_LOG,
    '.pi/agent/sessions/--home-mira-shop--/2026_pi-1.jsonl': PI_LOG,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  await mkdir(join(home, '.local/share/opencode'), { recursive: true });
  writeDatabase(join(home, '.local/share/opencode/opencode.db'));
});
afterEach(() => rm(home, { recursive: true }));

/** OpenCode's tables, as far as they are read. */
function writeDatabase(path: string): void {
  const { info, messages } = JSON.parse(OPENCODE_SESSION) as {
    info: { id: string; directory: string; title: string; version: string };
    messages: { info: { id: string }; parts: object[] }[];
  };
  const database = new sqlite.Database(path);
  database.run(
    'CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, version text, time_updated integer)',
  );
  database.run('CREATE TABLE message (id text PRIMARY KEY, session_id text, data text)');
  database.run('CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text)');
  database.run('INSERT INTO session VALUES (?, NULL, ?, ?, ?, 5)', [info.id, info.directory, info.title, info.version]);
  for (const [
    m,
    {
      info: { id, ...data },
      parts,
    },
  ] of messages.entries()) {
    database.run('INSERT INTO message VALUES (?, ?, ?)', [id, info.id, JSON.stringify(data)]);
    for (const [p, part] of parts.entries())
      database.run('INSERT INTO part VALUES (?, ?, ?, ?)', [
        `prt_${m}${p}`,
        id,
        info.id,
        JSON.stringify({ ...part, id: undefined }),
      ]);
  }
  database.close();
}

/** Hashes of all files, by their names. */
async function fingerprint(): Promise<Record<string, string>> {
  const names = await readdir(home, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hashes = await Promise.all(
    files.sort().map(
      async (file) =>
        [
          file,
          createHash('sha256')
            .update(await readFile(file))
            .digest('hex'),
        ] as const,
    ),
  );
  return Object.fromEntries(hashes);
}

test('finds the sessions of all agents, imports them once, and leaves their files alone', async () => {
  const forest = createForest(memoryStore());
  const before = await fingerprint();
  const first = await importSessions(forest, { env: { HOME: home } });
  expect(first.problems).toEqual([]);
  expect(first.agents.map(({ agent, logs, read }) => [agent, logs, read])).toEqual([
    ['claude-code', 2, 2],
    ['codex', 1, 1],
    ['gemini-cli', 1, 1],
    ['opencode', 1, 1],
    ['pi', 1, 1],
  ]);
  expect(first.threads).toHaveLength(6);
  const second = await importSessions(forest, { env: { HOME: home } });
  expect(second).toMatchObject({ threads: [], added: 0 });
  expect(await fingerprint()).toEqual(before);
  const { items } = await forest.threads.groups();
  expect(items.find(({ kind }) => kind === 'session')).toMatchObject({ count: 2, thread: { title: 'Two files' } });
  const subagent = (await forest.threads.list()).items.find(({ part }) => part === 'subagent');
  expect(subagent).toMatchObject({ agent: 'claude-code', startedBy: 'toolu_1' });
});

test('a log that grew since is read again, and its thread goes on', async () => {
  const forest = createForest(memoryStore());
  const { threads } = await importSessions(forest, { env: { HOME: home }, agents: ['pi'] });
  const entry = {
    type: 'message',
    id: 'e9',
    parentId: 'e8',
    timestamp: '2026-11-01T12:01:00.000Z',
    message: { role: 'user', content: [{ type: 'text', text: 'Thanks' }] },
  };
  await appendFile(join(home, '.pi/agent/sessions/--home-mira-shop--/2026_pi-1.jsonl'), JSON.stringify(entry));
  const again = await importSessions(forest, { env: { HOME: home }, agents: ['pi'] });
  expect(again).toMatchObject({ threads, added: 1 });
  const { head } = await forest.threads.get(threads[0]!);
  expect((await forest.path(head)).at(-1)!.message.text).toBe('Thanks');
});

test('a folder of an agent is imported by its path, wherever it is', async () => {
  const copy = join(home, 'elsewhere');
  await cp(join(home, '.codex/sessions'), copy, { recursive: true });
  const result = await importFile(createForest(memoryStore()), copy);
  expect(result).toMatchObject({ format: 'codex', elements: 1, problems: [] });
});

test('a log that Gemini CLI leaves behind when it resumes, with nothing but the context in it, is no conversation', async () => {
  const context = '<session_context>\nThis is the Gemini CLI. Today is Sunday.\n</session_context>';
  const lines = [
    { sessionId: 'gemini-1', projectHash: 'abc', startTime: '2026-11-01T12:05:00.000Z', kind: 'main' },
    { id: 'c1', timestamp: '2026-11-01T12:05:00.000Z', type: 'user', content: [{ text: context }] },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  await writeFile(join(home, '.gemini/tmp/shop/chats/session-2026-11-01T12-05-gemini-1.jsonl'), text);
  const forest = createForest(memoryStore());
  const { threads, problems } = await importSessions(forest, { env: { HOME: home }, agents: ['gemini-cli'] });
  expect([threads.length, problems]).toEqual([1, []]);
  const { head } = await forest.threads.get(threads[0]!);
  expect((await forest.path(head)).at(-1)!.message.text).toBe('You are welcome.');
});

test('keys are told before their log is stored, and what must not be stored is hidden first', async () => {
  const forest = createForest(memoryStore());
  const log = join(home, '.pi/agent/sessions/--home-mira-shop--/2026_pi-1.jsonl');
  await writeFile(log, PI_LOG.replace('Shorter', 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv of 4111111111111111'));
  const told: unknown[] = [];
  await importSessions(forest, {
    env: { HOME: home },
    agents: ['pi'],
    hide: (text) => text.replaceAll(/\b\d{16}\b/g, '[redacted]'),
    onKeys: (keys) => told.push(...keys.map(({ kind }) => kind), forest.threads.list()),
  });
  expect(told[0]).toBe('a key of Anthropic');
  expect(await told[1]).toEqual({ items: [] });
  const { items } = await forest.search('redacted');
  expect(items).toHaveLength(1);
  expect((await forest.search('4111111111111111')).items).toEqual([]);
});
