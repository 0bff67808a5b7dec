import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLAUDE_CODE_LOG } from '../../forest/src/formats/session-logs/test-session-logs.ts';
import { skein } from './skein.ts';

let home: string;
const run = (...args: string[]) => skein(home, args);

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'skein-sessions-'));
  const log = join(home, '.claude/projects/-home-mira-shop/session-1.jsonl');
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, CLAUDE_CODE_LOG.replace('Merge them', 'My key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv'));
});

afterAll(() => rmSync(home, { recursive: true }));

test('sessions of agents are imported, listed, and handed to another agent, which reads them again', async () => {
  const imported = await run('import', '--agents', '--redact');
  expect(imported).toMatchObject({ code: 0 });
  expect(imported.out).toMatch(
    /claude-code: 1 log in .*projects, 1 of them new or changed\.\n1 conversation, \d+ messages/,
  );
  expect(imported.err).toContain('this looks like a key of Anthropic');
  expect((await run('export')).out).not.toContain('sk-ant-api03');
  const [thread] = (await run('threads', '--agent', 'claude-code', '--cwd', '/home/mira/shop', '--json')).json().items;
  expect(thread).toMatchObject({ title: 'Two files', agent: 'claude-code' });
  const handed = await run('handoff', thread.id, '--to', 'codex');
  expect(handed.out).toMatch(/^cd \/home\/mira\/shop && codex resume [0-9a-f-]{36}\n$/);
  const [file] = readdirSync(join(home, '.codex'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  expect(readFileSync(join(home, '.codex', file!), 'utf8')).toContain('Leave them');
  const again = await run('import', '--agents', 'codex');
  expect(again.out).toContain('codex: 1 log');
});

test('mistakes are named: an unknown agent, a file beside --agents, nothing at all', async () => {
  expect((await run('import', '--agents', 'cursor')).err).toContain(
    '"cursor" is not an agent whose logs are known. They are claude-code, codex',
  );
  expect((await run('import', 'a.json', '--agents')).err).toContain('leave the file out');
  expect((await run('import')).err).toContain('Name a file or a folder, "-" for standard input, or use --agents.');
});
