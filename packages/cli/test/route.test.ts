import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { says, startEmulator } from '@skein/emulator';
import { afterAll, expect, test } from 'vitest';
import { skein } from './skein.ts';

const home = mkdtempSync(join(tmpdir(), 'skein-route-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What any program does that reads the variables of its SDK. */
const PROGRAM = `
const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: process.argv[2] }] }),
});
const body = await response.json();
console.log(body.model + ': ' + body.choices?.[0].message.content);
process.exitCode = response.ok ? 7 : 8;
`;
const program = join(home, 'program.mjs');
writeFileSync(program, PROGRAM);

test('a program on one SDK is answered by a model of another provider, and the exit code is its own', async () => {
  const emulator = await startEmulator();
  emulator.script('anthropic-messages', [says('Hello from Claude.')]);
  const env = emulator.env();
  const model = 'anthropic/claude-sonnet-4-5';
  const { OPENAI_API_KEY: _none, ...keys } = env;
  const ran = await skein(home, ['route', model, '--', process.execPath, program, 'Hello'], '', keys);
  expect(ran).toMatchObject({ code: 7, out: 'gpt-5.2: Hello from Claude.\n' });
  expect(ran.err).toContain('1 exchange was recorded, in 1 conversation.');
  expect(emulator.log.map(({ path }) => path)).toEqual(['/v1/messages']);
  await emulator.close();
  const usage = await skein(home, ['usage']);
  expect(usage.out).toMatch(/route {4}\* → anthropic\/claude-sonnet-4-5: 1 reply, \d+ in, 0 from the cache \(0 %\)/);
  const [, thread = ''] = /skein log (\w+)/.exec(ran.err) ?? [];
  expect((await skein(home, ['log', thread])).out).toMatch(/Hello[\s\S]*Hello from Claude\./);
});

test('what cannot be routed is said before the program starts', async () => {
  const route = (model: string) => skein(home, ['route', model, '--', process.execPath, program, 'Hello']);
  expect(await route('claude')).toMatchObject({ code: 2, err: expect.stringContaining('Write "provider/model"') });
  expect(await route('antropic/claude')).toMatchObject({ code: 2, err: expect.stringContaining('"anthropic"') });
  expect(await route('openai/gpt-5.2')).toMatchObject({ code: 1, err: expect.stringContaining('set OPENAI_API_KEY') });
});

test.skipIf(process.platform === 'win32')('a signal is passed on (no signals on Windows)', async () => {
  const ran = await skein(home, ['route', 'openai/gpt-5.2', '--', 'sh', '-c', 'kill -9 $$'], '', {
    OPENAI_API_KEY: 'x',
  });
  expect(ran.code).toBe(137);
});

test('doctor shows which clients would go where, and what is missing', async () => {
  const file = join(home, 'skein.config.yaml');
  writeFileSync(
    file,
    `gateway:
  routes: { "claude-*": openai/gpt-5.5, "gpt-5.5": google/gemini-3-pro }
  tokens: [{ name: ci, variable: CI_TOKEN }]
`,
  );
  const { out } = await skein(home, ['doctor'], '', { OPENAI_API_KEY: 'x' });
  rmSync(file);
  expect(out).toContain('ok    gateway       Claude Code: claude-opus-5-5 → openai/gpt-5.5 (route "claude-*")');
  expect(out).toMatch(
    /hint {2}gateway {7}Codex: gpt-5\.5 → google\/gemini-3-pro .*; google has no key: set GEMINI_API_KEY/,
  );
  expect(out).toMatch(/ok {4}gateway {7}Gemini CLI: gemini-3-pro-preview → google, untouched/);
  expect(out).toContain('hint  gateway       token ci: set CI_TOKEN.');
});

test('a server does not start with a token that nobody has', async () => {
  const file = join(home, 'skein.config.yaml');
  writeFileSync(file, 'gateway: { tokens: [{ name: ci, variable: CI_TOKEN }] }\n');
  const ran = await skein(home, ['serve', '--port', '0', '--no-open'], '', { OPENAI_API_KEY: 'x' });
  rmSync(file);
  expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('CI_TOKEN has no token for "ci"') });
});
