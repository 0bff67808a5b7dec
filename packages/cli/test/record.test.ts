import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { says, startEmulator } from '@skein/emulator';
import { listExchanges, openForest } from '@skein/forest';
import { afterAll, expect, test } from 'vitest';
import { skein } from './skein.ts';

const home = mkdtempSync(join(tmpdir(), 'skein-record-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What any program does that reads the variables of its SDK. */
const PROGRAM = `
const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'gpt-5.2', messages: [{ role: 'user', content: process.argv[2] }] }),
});
const body = await response.json();
console.log(body.choices?.[0].message.content ?? response.status);
process.exitCode = response.ok ? 7 : 8;
`;
const program = join(home, 'program.mjs');
writeFileSync(program, PROGRAM);

test('a program is recorded without a change, and replayed with the provider gone', async () => {
  const emulator = await startEmulator();
  emulator.script('openai-chat', [says('Hello to you.')]);
  const env = { OPENAI_API_KEY: 'sk-very-secret', OPENAI_BASE_URL: emulator.baseUrl('openai-chat') };
  const recorded = await skein(home, ['record', '--', process.execPath, program, '--hello'], '', env);
  await emulator.close();
  expect(recorded).toMatchObject({ code: 7, out: 'Hello to you.\n' });
  expect(recorded.err).toContain('1 exchange was recorded, in 1 conversation.');

  const [, thread = ''] = /skein log (\w+)/.exec(recorded.err) ?? [];
  const log = await skein(home, ['log', thread]);
  expect(log.out).toMatch(/--hello[\s\S]*Hello to you\./);
  expect((await skein(home, ['export'])).out).not.toContain('very-secret');

  const why = await skein(home, ['why', 'all', '--by', 'app', '--simulate', '1h', '--fail-under', '50']);
  expect(why).toMatchObject({ code: 0 });
  expect(why.out).toMatch(/^1 request: .* 0 missed$/m);
  const told = JSON.parse((await skein(home, ['why', thread, '--json'])).out);
  expect(told.requests).toMatchObject([{ cause: 'too-short', thread, provider: expect.any(String), model: 'gpt-5.2' }]);
  expect((await skein(home, ['why', 'all', '--simulate', 'magic'])).err).toContain('"magic" cannot be simulated');

  const { OPENAI_API_KEY: _none, ...keyless } = env;
  const replayed = await skein(home, ['replay', '--', process.execPath, program, '--hello'], '', keyless);
  expect(replayed).toMatchObject({ code: 7, out: 'Hello to you.\n' });
  const other = await skein(home, ['replay', '--', process.execPath, program, 'Something else'], '', keyless);
  expect(other.code).toBe(8);
});

test.skipIf(process.platform === 'win32')(
  'a recorded session of a coding agent is listed by its name and folder before its log is imported',
  async () => {
    const emulator = await startEmulator();
    emulator.script('openai-chat', [says('Hello to you.')]);
    const agent = join(home, 'codex');
    writeFileSync(agent, `#!/bin/sh\nexec "${process.execPath}" "${program}" Hi\n`, { mode: 0o755 });
    const env = { OPENAI_API_KEY: 'x', OPENAI_BASE_URL: emulator.baseUrl('openai-chat') };
    const { err } = await skein(home, ['record', '--', agent, 'exec'], '', env);
    await emulator.close();
    const [, thread = ''] = /skein log (\w+)/.exec(err) ?? [];
    const listed = await skein(home, ['threads', '--agent', 'codex', '--cwd', '.', '--json']);
    expect(JSON.parse(listed.out).items).toMatchObject([{ id: thread, agent: 'codex' }]);
    expect((await skein(home, ['threads', '--agent', 'pi'])).out).toBe('');
  },
);

test('cassettes answer a program, and a miss fails the run although the program caught it', async () => {
  const emulator = await startEmulator();
  emulator.script('openai-chat', [says('Hello to you.')]);
  const calm = join(home, 'calm.mjs');
  writeFileSync(calm, `await import('./program.mjs');\nprocess.exitCode = 0;`);
  const tapes = join(home, 'tapes');
  const env = { OPENAI_API_KEY: 'sk-very-secret', OPENAI_BASE_URL: emulator.baseUrl('openai-chat') };
  const recorded = await skein(home, ['record', '--to', tapes, '--', process.execPath, calm, 'Hi'], '', env);
  await emulator.close();
  expect(recorded).toMatchObject({ code: 0, out: 'Hello to you.\n' });
  const replayed = await skein(home, ['test', '--cassettes', tapes, '--', process.execPath, calm, 'Hi']);
  expect(replayed).toMatchObject({ code: 0, out: 'Hello to you.\n' });
  expect(replayed.err).toContain('1 hit, 0 misses, 0 cassettes unused');
  const report = join(home, 'report.xml');
  const missed = await skein(home, [
    'test',
    '--cassettes',
    tapes,
    '--junit',
    report,
    '--',
    process.execPath,
    calm,
    'Ho',
  ]);
  expect(missed).toMatchObject({ code: 1, out: '404\n' });
  expect(missed.err).toContain('they part at messages[0]');
  expect(readFileSync(report, 'utf8')).toContain('<failure message="No recording answers POST');

  // Recording again shows what changed, and replaces nothing until a person says so.
  const changed = await startEmulator();
  changed.script('openai-chat', [says('Hello again.'), says('Hello again.')]);
  const newer = { ...env, OPENAI_BASE_URL: changed.baseUrl('openai-chat') };
  const again = (...more: string[]) =>
    skein(
      home,
      ['test', '--cassettes', tapes, '--mode', 're-record', ...more, '--', process.execPath, calm, 'Hi'],
      '',
      newer,
    );
  const shown = await again();
  expect(shown.code).toBe(1);
  expect(shown.out).toMatch(
    /~ response 1 changed[\s\S]*- .*"content": "Hello to you\."[\s\S]*\+ .*"content": "Hello again\."/,
  );
  expect(readFileSync(join(tapes, '0001-gpt-5.2.json'), 'utf8')).toContain('Hello to you.');
  expect(await again('--yes')).toMatchObject({ code: 0 });
  expect(readFileSync(join(tapes, '0001-gpt-5.2.json'), 'utf8')).toContain('Hello again.');
  await changed.close();
});

/** A small agent: it asks, runs its tool, and asks again until there is no more call. */
const AGENT = `
import { appendFileSync } from 'node:fs';
const messages = [{ role: 'user', content: 'Write it down.' }];
const tools = [{ type: 'function', function: { name: 'note', parameters: { type: 'object', properties: { text: { type: 'string' } } } } }];
for (;;) {
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'gpt-5.2', messages, tools }),
  });
  const { message } = (await response.json()).choices[0];
  messages.push(message);
  if (!message.tool_calls) {
    console.log(message.content);
    break;
  }
  for (const call of message.tool_calls) {
    appendFileSync(process.argv[2], JSON.parse(call.function.arguments).text + '\\n');
    messages.push({ role: 'tool', tool_call_id: call.id, content: process.argv[3] ?? 'Written.' });
  }
}`;

test('an agent gets its recorded answers up to a point, then another model answers, and its tools really run', async () => {
  const agent = join(home, 'agent.mjs');
  const notes = join(home, 'notes.txt');
  writeFileSync(agent, AGENT);
  const emulator = await startEmulator();
  emulator.script('openai-chat', [
    { blocks: [{ type: 'tool-use', name: 'note', input: { text: 'A line' } }] },
    says('Done by the first.'),
  ]);
  emulator.script('anthropic-messages', [says('Done by Claude.'), says('Claude had to come earlier.')]);
  const env = emulator.env();
  const command = ['--', process.execPath, agent, notes];
  const store = ['--store', join(home, 'agents')];
  const recorded = await skein(home, ['record', ...store, ...command], '', env);
  expect(recorded).toMatchObject({ code: 0, out: 'Done by the first.\n' });
  const [, thread = ''] = /skein log (\w+)/.exec(recorded.err) ?? [];
  const before = await openForest(store[1]!);
  const [, called, result, done] = (await before.path((await before.threads.get(thread)).head)).map(({ id }) => id);
  await before.close();

  const then = ['replay', ...store, '--until', called!, '--then', 'anthropic/claude-sonnet-4-5'];
  const replayed = await skein(home, [...then, ...command], '', env);
  expect(replayed).toMatchObject({ code: 0, out: 'Done by Claude.\n' });
  for (const told of ['1 answer came from the recording', 'Files, programs and the network are as they are now'])
    expect(replayed.err).toContain(told);
  expect(replayed.err).not.toContain('did not come to');
  expect(readFileSync(notes, 'utf8')).toBe('A line\nA line\n');
  expect(emulator.log.map(({ path }) => path).slice(2)).toEqual(['/v1/messages']);
  const after = await openForest(store[1]!);
  const answers = (await after.children(result!)).items.map(({ message }) => message.text);
  expect(answers).toEqual(['Done by the first.', 'Done by Claude.']);
  await after.close();

  // A tool that says something else leads away from the recording before the point.
  const late = await skein(
    home,
    ['replay', ...store, '--until', done!, '--then', 'anthropic/claude-sonnet-4-5', ...command, 'Elsewhere.'],
    '',
    env,
  );
  expect(late).toMatchObject({ code: 0, out: 'Claude had to come earlier.\n' });
  expect(late.err).toContain('The program did not come to the answer of --until');
  expect((await skein(home, ['replay', ...store, '--until', called!, ...command])).err).toContain('belong together');
  await emulator.close();
});

test('exchanges that could not be stored are counted, with the reason, not taken for none, and stored the next time', async () => {
  const store = join(home, 'broken');
  const folder = join(store, 'projects', 'default');
  mkdirSync(folder, { recursive: true });
  // Readable, but nobody can write there: not even root, whom permissions do not stop.
  writeFileSync(join(folder, 'writers'), '');
  const twice = join(home, 'twice.mjs');
  writeFileSync(twice, `await import('./program.mjs');\nawait import('./program.mjs?again');\nprocess.exitCode = 0;`);
  const emulator = await startEmulator();
  const env = { OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: emulator.baseUrl('openai-chat') };
  const ran = await skein(home, ['record', '--store', store, '--', process.execPath, twice, 'Hi'], '', env);
  await emulator.close();
  expect(ran).toMatchObject({ code: 1, out: 'Echo: Hi\nEcho: Hi\n' });
  expect(ran.err).toContain('2 exchanges could not be stored yet');
  expect(ran.err).toContain(join(home, '.local/share/skein/waiting'));
  expect(ran.err).toContain('EEXIST');
  expect(ran.err).not.toContain('Nothing was recorded');
  rmSync(join(folder, 'writers'));
  const next = await skein(home, ['record', '--store', store, '--', process.execPath, '--version']);
  expect(next.code).toBe(0);
  const forest = await openForest(store);
  expect((await listExchanges(forest)).items).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]);
  await forest.close();
});

test.skipIf(process.platform === 'win32')(
  'a program that a signal ended has its exit code (no signals on Windows)',
  async () => {
    expect((await skein(home, ['record', '--', 'sh', '-c', 'kill -9 $$'])).code).toBe(137);
  },
);

test('a program that is not there, and one that asks nobody', async () => {
  const missing = await skein(home, ['record', '--', 'no-such-program']);
  expect(missing).toMatchObject({ code: 1 });
  expect(missing.err).toContain('"no-such-program" could not be started');
  const silent = await skein(home, ['record', '--', process.execPath, '-e', '0']);
  expect(silent).toMatchObject({ code: 0 });
  expect(silent.err).toContain('Nothing was recorded');
});
