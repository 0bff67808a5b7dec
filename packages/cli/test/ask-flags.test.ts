/** What `ask` sends, by its flags: standard input, templates, attachments, tools, keys. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, says, startEmulator } from '@skein/emulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findEntry } from '../../../scripts/installed-packages.ts';
import { skein } from './skein.ts';

let home = '';
let emulator: Emulator;
const MODEL = 'anthropic/claude-sonnet-4-5';

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skein-ask-'));
  emulator = await startEmulator();
});
afterAll(async () => {
  await emulator.close();
  rmSync(home, { recursive: true, force: true });
});

const run = (args: readonly string[], input = '') => skein(home, args, input, emulator.env());
const sent = () => JSON.parse(emulator.log.at(-1)!.body.toString());
async function ask(args: readonly string[], input = '') {
  const ran = await run(['ask', '-m', MODEL, ...args], input);
  expect(ran.code, ran.err).toBe(0);
  return sent();
}
const textSent = ({ messages }: { messages: { content: unknown }[] }) => JSON.stringify(messages.at(-1)!.content);

test('what is piped in is sent below the question, and never ignored', async () => {
  expect(textSent(await ask(['Summarise', 'this'], 'first\nsecond\n'))).toContain(
    String.raw`"Summarise this\n\nfirst\nsecond"`,
  );
  expect(textSent(await ask([], 'only piped'))).toContain('"only piped"');
  const bytes = await run(['ask', 'What?', '-m', MODEL, '-f', join(home, 'none')], 'x');
  expect(bytes).toMatchObject({ code: 1, err: expect.stringContaining(`There is no ${join(home, 'none')}`) });
});

test('-c continues the last conversation; -s, -o and -x are what llm has', async () => {
  emulator.script('anthropic-messages', says('Look:\n```sh\nls\n```\n'));
  const first = await run(['ask', '-m', MODEL, '-s', 'Be brief.', '-o', 'temperature', '0.2', '-x', 'How?']);
  expect(first.out).toBe('ls\n');
  expect(sent()).toMatchObject({ temperature: 0.2, system: expect.anything() });
  await run(['ask', '-c', 'And then?']);
  expect(sent().messages).toHaveLength(3);
  expect(sent()).toMatchObject({ temperature: 0.2, system: expect.anything(), model: 'claude-sonnet-4-5' });
  const both = await run(['ask', '-c', '-s', 'No', 'x']);
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('--system begins a conversation') });
});

test('fragments go above the question, attachments behind it', async () => {
  writeFileSync(join(home, 'rules.txt'), 'The rules.');
  writeFileSync(join(home, 'dot.png'), Buffer.from('89504e470d0a1a0a0000', 'hex'));
  const { messages, system } = await ask(
    ['-f', 'rules.txt', '--system-fragment', '-', 'Obey', '-a', 'dot.png'],
    'Piped.',
  );
  expect(JSON.stringify(system)).toContain('Piped.');
  expect(messages[0].content).toMatchObject([
    { type: 'text', text: 'The rules.' },
    { type: 'text', text: 'Obey' },
    { type: 'image', source: { media_type: 'image/png' } },
  ]);
  const server = createServer((_request, response) => response.end('From a server.'));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  const url = `http://127.0.0.1:${port}/notes.txt`;
  expect((await run(['ask', 'x', '-a', url])).err).toContain('its address is not public');
  writeFileSync(join(home, 'skein.config.yaml'), `fetch: { enabled: true, private_hosts: ['127.0.0.1:${port}'] }\n`);
  expect(textSent(await ask(['x', '-a', url, '-f', url]))).toContain(String.raw`File notes.txt:\n\nFrom a server.`);
  rmSync(join(home, 'skein.config.yaml'));
  server.close();
  const refused = await run(['ask', 'x', '-a', 'http://169.254.169.254/latest/meta-data']);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('its address is not public') });
});

test('--save makes a template, -t uses it with variables, and an alias names its model', async () => {
  expect((await run(['aliases', 'set', 'fast', MODEL])).code).toBe(0);
  const save = [
    'ask',
    'Sum $input for $whom',
    '-p',
    'whom',
    'Ada',
    '-m',
    'fast',
    '-o',
    'max_tokens',
    '9',
    '--save',
    'sum',
  ];
  expect((await run(save)).code).toBe(0);
  await run(['ask', '-t', 'sum', '-p', 'whom', 'Bo'], 'the text');
  expect(sent()).toMatchObject({ model: 'claude-sonnet-4-5', max_tokens: 9 });
  expect(textSent(sent())).toContain('Sum the text for Bo');
  await run(['ask', '-t', 'sum', 'words']);
  expect(textSent(sent())).toContain('Sum words for Ada');
  expect((await run(['templates', '--format', 'csv'])).out).toMatch(
    /^name,prompt,model\nsum,Sum \$input for \$whom,fast\n$/,
  );
  expect((await run(['ask', '-t', 'smu', 'x'])).err).toContain('Did you mean "sum"?');
  writeFileSync(join(home, 'bad.yaml'), 'promt: x\n');
  expect((await run(['ask', '-t', './bad.yaml', 'x'])).err).toContain('"promt" is unknown. Did you mean "prompt"?');
});

test('a concise schema makes the answer JSON; -T gives the model a tool of a module', async () => {
  emulator.script('openai-chat', says('{"name":"Rex","age":3}'));
  const { out, err } = await run(['ask', '--schema', 'name, age int', '-m', 'openai-chat/gpt-4o', 'A dog']);
  expect(out, err).toBe('{"name":"Rex","age":3}\n');
  expect(JSON.stringify(sent().response_format)).toContain('"age":{"type":"integer"}');
  writeFileSync(
    join(home, 'tools.mjs'),
    `import { tool } from ${JSON.stringify(findEntry('@skein/core'))};
    export const twice = tool({ name: 'twice', input: { type: 'object', properties: { n: { type: 'integer' } } },
      execute: ({ n }) => String(2 * n), needsApproval: true });\n`,
  );
  const call = { blocks: [{ type: 'tool-use', name: 'twice', input: { n: 21 } }] } as const;
  emulator.script('anthropic-messages', [call, says('It is 42.')]);
  const asked = await run(['ask', '-T', 'tools.mjs', '--yes', '-m', MODEL, 'Twice 21?']);
  expect(asked, asked.err).toMatchObject({ code: 0, out: 'It is 42.\n', err: expect.stringContaining('→ twice') });
  expect(JSON.stringify(sent().messages)).toContain('42');
  emulator.script('anthropic-messages', [call]);
  const waiting = await run(['ask', '-T', 'tools.mjs', '-m', MODEL, 'Twice?']);
  expect(waiting).toMatchObject({ code: 1, err: expect.stringContaining('Waiting for approval of twice') });
  expect((await run(['ask', '-T', 'current_tim', 'x'])).err).toContain('There is no tool "current_tim"');
});

test('a stored key is used, the environment wins, and no command prints it', async () => {
  const { ANTHROPIC_API_KEY: _key, ...addresses } = emulator.env() as Record<string, string>;
  const keyless = (args: readonly string[], input = '', more = {}) =>
    skein(home, args, input, { ...addresses, ...more });
  const secret = 'sk-ant-stored-0123456789';
  const stored = await keyless(['keys', 'set', 'anthropic'], `${secret}\n`);
  expect(stored).toMatchObject({ code: 0, err: expect.stringContaining('only you can read') });
  const file = join(home, '.config', 'skein', 'keys.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await keyless(['ask', '-m', MODEL, 'Hi', '--json'])).code).toBe(0);
  expect(emulator.log.at(-1)!.headers['x-api-key']).toBe(secret);
  await keyless(['ask', '-m', MODEL, 'Hi'], '', { ANTHROPIC_API_KEY: 'sk-ant-environment' });
  expect(emulator.log.at(-1)!.headers['x-api-key']).toBe('sk-ant-environment');
  chmodSync(file, 0o644);
  const shown = await Promise.all(
    [['keys'], ['keys', '--json'], ['models', '--json'], ['doctor']].map((args) => keyless(args)),
  );
  expect(shown.map(({ out, err }) => out + err).join('')).not.toContain(secret);
  expect(shown[1]!.json().items).toContainEqual({ provider: 'anthropic', source: 'stored' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await keyless(['export'])).out).not.toContain(secret);
  const slip = await keyless(['keys', 'set', 'openai'], 'two words\n');
  expect(slip).toMatchObject({ code: 2, err: expect.not.stringContaining('two words') });
  expect((await keyless(['keys', 'rm', 'anthropic'])).code).toBe(0);
  // What is missing here is a key, so the hint for a model that a provider does not know is left out.
  expect((await keyless(['keys', 'rm', 'anthropic'])).err).toMatch(/There is no stored key for anthropic\.\n$/);
  expect(readFileSync(file, 'utf8')).toBe('{}\n');
});
