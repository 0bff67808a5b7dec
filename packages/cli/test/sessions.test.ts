import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLAUDE_CODE_LOG } from '../../forest/src/formats/session-logs/test-session-logs.ts';
import { skein, start } from './skein.ts';

let home: string;
const run = (...args: string[]) => skein(home, args);

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'skein-sessions-'));
  const log = join(home, '.claude/projects/-home-mira-shop/session-1.jsonl');
  mkdirSync(dirname(log), { recursive: true });
  writeFileSync(log, CLAUDE_CODE_LOG.replace('Merge them', 'My key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv'));
});

afterAll(() => rmSync(home, { recursive: true }));

/** The hashes of all files in the homes of agents, by their paths. */
function hashAgents(): Record<string, string> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && /[/\\]\.(?:claude|codex|gemini|pi)(?:[/\\]|$)/.test(entry.parentPath),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')];
    }),
  );
}

test('sessions of agents are imported, listed, and handed to another agent, which reads them again', async () => {
  const before = hashAgents();
  const imported = await run('import', '--agents', '--redact');
  expect(hashAgents()).toEqual(before);
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
  const written = readFileSync(join(home, '.codex', file!), 'utf8');
  expect(await run('handoff', thread.id, '--to', 'codex')).toMatchObject({ code: 0 });
  expect(readFileSync(join(home, '.codex', file!), 'utf8')).toBe(written);
  // A handoff adds files, and changes none.
  expect(hashAgents()).toMatchObject(before);
  const [claude] = readdirSync(join(home, '.claude'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  expect(claude).toBe(join('projects', '-home-mira-shop', 'session-1.jsonl'));
});

test('watch imports what is there and what is logged while it runs, and ends with Ctrl+C', async () => {
  const watching = start(home, ['watch', '--agents', 'claude-code', '--store', 'watched']);
  const said = createInterface({ input: watching.stderr })[Symbol.asyncIterator]();
  const until = async (pattern: RegExp) => {
    for (let line = await said.next(); !line.done; line = await said.next()) if (pattern.test(line.value)) return;
    throw new Error(`skein watch ended before it said ${pattern}.`);
  };
  await until(/^Watching Claude Code in .*projects\.$/);
  await until(/^\d+ new messages in 1 conversation\.$/);
  const log = join(home, '.claude/projects/-home-mira-shop/session-2.jsonl');
  writeFileSync(
    log,
    CLAUDE_CODE_LOG.replaceAll('session-1', 'session-2').replaceAll('Compare the two', 'Merge the two'),
  );
  const before = hashAgents();
  await until(/^\d+ new messages? in 1 conversation\.$/);
  watching.kill('SIGINT');
  expect(await new Promise((resolve) => watching.once('close', resolve))).toBe(0);
  const listed = (await run('threads', '--store', 'watched', '--json')).json().items;
  expect(listed).toHaveLength(2);
  expect(Object.keys(before).length).toBeGreaterThan(1);
  expect(hashAgents()).toEqual(before);
});

test('watch prints the file of a service: a unit of systemd, or one of launchd, with what it is started with', async () => {
  const flags = ['--store', '50% $HOME & more', '--agents', 'codex,pi', '--redact'];
  const unit = await run('watch', '--service', 'systemd', ...flags);
  expect(unit).toMatchObject({ code: 0 });
  const [, started] = /^ExecStart=(.*)$/m.exec(unit.out)!;
  const words = [...started!.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word]) => word);
  expect(words[0]).toBe(process.execPath);
  expect(words[1]).toMatch(/skein\.js$/);
  // systemd would replace a percent sign and a variable.
  expect(words.slice(2)).toEqual([
    'watch',
    '--store',
    join(home, '50%% $$HOME & more'),
    '--agents',
    'codex,pi',
    '--redact',
  ]);
  expect(unit.out).toMatch(/^\[Install\]\nWantedBy=default\.target$/m);
  const file = await run('watch', '--service', 'launchd', ...flags);
  const strings = [...file.out.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, text]) => text);
  expect(strings.slice(0, 3)).toEqual([process.execPath, words[1], 'watch']);
  expect(strings).toContain(join(home, '50% $HOME &amp; more'));
  expect(file.out).toContain('<key>KeepAlive</key><true/>');
  expect((await run('watch', '--service', 'cron')).err).toContain('Allowed choices are systemd, launchd');
});

test('mistakes are named: an unknown agent, a file beside --agents, nothing at all', async () => {
  expect((await run('import', '--agents', 'cursor')).err).toContain(
    '"cursor" is not an agent whose logs are known. They are claude-code, codex',
  );
  expect((await run('import', 'a.json', '--agents')).err).toContain('leave the file out');
  expect((await run('import')).err).toContain('Name a file or a folder, "-" for standard input, or use --agents.');
});

test('doctor names the coding agents that are there, how they are reached, and where their sessions are', async () => {
  const programs = join(home, 'programs');
  mkdirSync(programs, { recursive: true });
  writeFileSync(join(programs, process.platform === 'win32' ? 'pi.cmd' : 'pi'), '');
  const { out } = await skein(home, ['doctor'], '', { PATH: programs });
  expect(out).toMatch(/coding agents Claude Code: no program "claude"; sessions in .*projects/);
  expect(out).toMatch(/coding agents pi: .*programs.pi.*; skein record -- pi reaches it by a copy of its models\.json/);
  expect(out).not.toContain('coding agents Gemini CLI');
});
