/** `skein import` reads every format that it lists, as a file, as a zip, as a folder and from standard input. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleFolder } from '../../forest/src/formats/older/test-folder.ts';
import {
  CLAUDE_CODE_LOG,
  CODEX_LOG,
  GEMINI_CLI_LOG,
  OPENCODE_SESSION,
  PI_LOG,
} from '../../forest/src/formats/session-logs/test-session-logs.ts';
import { chatgptConversation } from '../../forest/src/formats/test-chatgpt.ts';
import { EXPORTS, PIXEL, writeLlmLog } from '../../forest/src/formats/test-exports.ts';
import { SOURCES } from '../../forest/src/formats/test-sources.ts';
import { makeZip } from '../../forest/src/formats/test-zip.ts';
import { skein } from './skein.ts';

let home = '';
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'skein-imports-'));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
const run = (...args: string[]) => skein(home, args);

const LOGS = {
  'claude-code': CLAUDE_CODE_LOG,
  codex: CODEX_LOG,
  'gemini-cli': GEMINI_CLI_LOG,
  opencode: OPENCODE_SESSION,
  pi: PI_LOG,
};

test('every format that is listed is imported, and importing again adds nothing', async () => {
  const sources: { format: string; path: string; flags?: string[] }[] = [];
  const put = (format: string, content: string | Uint8Array, flags: string[] = []) => {
    const path = join(home, `${sources.length}-${format}`);
    writeFileSync(path, content);
    sources.push({ format, path, flags });
  };
  for (const { format, text, dialect } of SOURCES) put(format, text, dialect ? ['--dialect', dialect] : []);
  for (const [format, value] of EXPORTS) put(format, JSON.stringify(value));
  for (const [format, text] of Object.entries(LOGS)) put(format, text);
  writeLlmLog(join(home, 'logs.db'));
  sources.push({ format: 'llm', path: join(home, 'logs.db') });
  cpSync(exampleFolder(), join(home, 'older'), { recursive: true });
  sources.push({ format: 'older', path: join(home, 'older') });
  for (const { format, path, flags = [] } of sources) {
    const imported = await run('import', path, ...flags, '--json');
    expect(imported, `${format}: ${imported.err}`).toMatchObject({ code: 0 });
    expect(imported.json(), format).toMatchObject({ format, problems: [] });
    expect(imported.json().threads.length, format).toBeGreaterThan(0);
    expect((await run('import', path, ...flags, '--json')).json().added, format).toBe(0);
  }
  await run('export', '--out', 'all.jsonl');
  const copied = await run('import', 'all.jsonl', '--store', 'copy', '--json');
  expect(copied.json()).toMatchObject({ format: 'segments', problems: [] });
  const [, listed = ''] =
    /Allowed choices are ([a-z, -]+)\./.exec((await run('import', 'all.jsonl', '--format', 'nope')).err) ?? [];
  const tried = new Set([...sources.map(({ format }) => format), 'segments']);
  expect(listed.split(', ').filter((format) => !tried.has(format))).toEqual([]);
}, 600_000);

test("ChatGPT's export comes as a zip, as its folder, from a pipe and with its picture; several sources at once are one command", async () => {
  const files = {
    'conversations.json': JSON.stringify([chatgptConversation]),
    'dalle-generations/file-9-river.dat': PIXEL,
  };
  const zip = makeZip(files);
  writeFileSync(join(home, 'export.zip'), zip);
  mkdirSync(join(home, 'export/dalle-generations'), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, 'export', name), content);
  const first = await run('import', 'export.zip', '--store', 'zipped', '--json');
  expect(first, first.err).toMatchObject({ code: 0 });
  const [thread] = first.json().threads;
  expect((await run('export', thread, '--format', 'messages', '--store', 'zipped')).out).toContain(
    PIXEL.toString('base64'),
  );
  const again = await run('import', 'export', 'export.zip', '--store', 'zipped');
  expect(again, again.err).toMatchObject({ code: 0 });
  const piped = await skein(home, ['import', '-', '--store', 'zipped', '--json'], zip);
  expect(piped, piped.err).toMatchObject({ code: 0 });
  expect(piped.json().added).toBe(0);
  expect((await run('threads', '--all', '--store', 'zipped', '--json')).json().items).toHaveLength(1);
});
