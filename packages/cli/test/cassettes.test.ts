/** `skein test` and `skein cassettes learn` with a real program, in every mode. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { says, startEmulator } from '@skein/emulator';
import { expect, onTestFinished, test } from 'vitest';
import { skein } from './skein.ts';

/** Asks each of its arguments, with the time and a user of this run, and goes on whatever comes. */
const PROGRAM = `
for (const question of process.argv.slice(2)) {
  const response = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + process.env.OPENAI_API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-5.2',
      user: process.env.RUN ?? 'run',
      messages: [{ role: 'user', content: 'It is ' + (process.env.TIME ?? '08:00') + '. ' + question }],
    }),
  });
  const { choices } = await response.json();
  console.log(choices?.[0].message.content ?? response.status);
}
`;

async function startProgram() {
  const home = mkdtempSync(join(tmpdir(), 'skein-cassettes-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const emulator = await startEmulator();
  onTestFinished(() => emulator.close());
  writeFileSync(join(home, 'program.mjs'), PROGRAM);
  const keys = { OPENAI_API_KEY: 'sk-very-secret', OPENAI_BASE_URL: emulator.baseUrl('openai-chat') };
  return {
    home,
    emulator,
    run: (args: readonly string[], questions: readonly string[], env: object = {}) =>
      skein(home, [...args, '--', process.execPath, 'program.mjs', ...questions], '', { ...keys, ...env }),
  };
}

test('misses are a JUnit report that any reader can parse, and annotations on GitHub', async () => {
  const { home, emulator, run } = await startProgram();
  emulator.script('openai-chat', [says('Fine.')]);
  await run(['record', '--to', 'cassettes'], ['How are you?']);
  const questions = ['How are you?', 'Is 5 < 6 & "100 %"\nof it?'];
  const missed = await run(['test', '--junit', 'reports/skein.xml'], questions, { GITHUB_ACTIONS: 'true' });
  expect(missed).toMatchObject({ code: 1, out: 'Fine.\n404\n' });
  expect(missed.err).toContain('1 hit, 1 miss, 0 cassettes unused');

  const report = readFileSync(join(home, 'reports', 'skein.xml'), 'utf8');
  expect(report).toContain('<testsuite name="skein" tests="2" failures="1">');
  expect(report).toContain('name="1 request answered from cassettes"/>');
  const [, message = ''] = /<failure message="([^"]*)"\/>/.exec(report) ?? [];
  expect(message).not.toMatch(/[<>&](?!#\d+;)/);
  const text = message.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
  expect(text).toContain('No recording answers POST');
  expect(text).toContain('The nearest is 0001-gpt-5.2.json: they part at messages[0]');
  expect(text).toContain('Is 5 < 6 & \\"100 %\\"');

  const [annotation = ''] = missed.err.split('\n').filter((line) => line.startsWith('::error '));
  expect(annotation).toMatch(/^::error title=No cassette answers::No recording answers POST .*messages\[0\]/);
  // GitHub reads a percent sign as the beginning of an escape.
  expect(annotation).toContain('100 %25');
  expect((await run(['test'], questions)).err).not.toContain('::error');
});

test('cassettes learn proposes rules from two recordings, writes them when accepted, and a match says what was ignored', async () => {
  const { home, emulator, run } = await startProgram();
  emulator.script('openai-chat', [says('Fine.'), says('Fine.')]);
  await run(['record', '--to', 'first'], ['How are you?'], { TIME: '08:00', RUN: 'kim' });
  await run(['record', '--to', 'second'], ['How are you?'], { TIME: '09:30', RUN: 'lee' });
  const later = { TIME: '11:45', RUN: 'pat' };
  expect(await run(['test', '--cassettes', 'first'], ['How are you?'], later)).toMatchObject({ code: 1 });

  const learn = ['cassettes', 'learn', 'first', 'second'];
  const proposed = await skein(home, learn);
  expect(proposed.code).toBe(0);
  const rules = proposed.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { path: string; match?: string });
  expect(rules.map(({ path, match }) => [path, match !== undefined])).toEqual([
    ['user', false],
    ['messages[0].content', true],
  ]);
  expect(proposed.err).toContain('Add --accept to write these rules to first/ignore.json.');
  expect(existsSync(join(home, 'first', 'ignore.json'))).toBe(false);

  expect((await skein(home, [...learn, '--accept'])).err).toContain('2 rules written to first/ignore.json.');
  expect(JSON.parse(readFileSync(join(home, 'first', 'ignore.json'), 'utf8'))).toEqual({ ignore: rules });
  const replayed = await run(['test', '--cassettes', 'first'], ['How are you?'], later);
  expect(replayed).toMatchObject({ code: 0, out: 'Fine.\n' });
  expect(replayed.err).toContain('ignored 1 time: user');
  expect((await run(['test', '--cassettes', 'first'], ['How old are you?'], later)).code).toBe(1);

  await run(['record', '--to', 'third'], ['How are you?', 'And now?']);
  const uneven = await skein(home, ['cassettes', 'learn', 'first', 'third']);
  expect(uneven.code).not.toBe(0);
  expect(uneven.err).toContain('first has 1 cassettes and third has 2');
});

test('record-missing asks the provider for what has no cassette, and only for that', async () => {
  const { home, emulator, run } = await startProgram();
  emulator.script('openai-chat', [says('One.'), says('Two.')]);
  await run(['record', '--to', 'cassettes'], ['one']);
  const added = await run(['test', '--mode', 'record-missing'], ['one', 'two']);
  expect(added).toMatchObject({ code: 0, out: 'One.\nTwo.\n' });
  expect(added.err).toContain('1 hit, 0 misses, 1 cassette written, 0 cassettes unused');
  expect(emulator.log).toHaveLength(2);
  expect(readdirSync(join(home, 'cassettes'))).toEqual(['0001-gpt-5.2.json', '0002-gpt-5.2.json']);
  expect(await run(['test'], ['one', 'two'])).toMatchObject({ code: 0, out: 'One.\nTwo.\n' });
  expect((await run(['test'], ['two'])).err).toContain('unused: 0001-gpt-5.2.json');
  expect(emulator.log).toHaveLength(2);
});

test('a key in a question is refused when it would be written, and a corrupt cassette is told with file and line', async () => {
  const { home, emulator, run } = await startProgram();
  const key = `sk-proj-${'Zz9dEf6hIjKlMnOp'.repeat(3)}`;
  const refused = await run(['record', '--to', 'cassettes'], [`My key is ${key}`]);
  expect(refused.code).not.toBe(0);
  expect(refused.err).toMatch(/0001-gpt-5\.2\.json was not written: line \d+ would contain/);
  expect(refused.err).not.toContain(key);
  expect(existsSync(join(home, 'cassettes'))).toBe(false);

  emulator.script('openai-chat', [says('Fine.')]);
  await run(['record', '--to', 'cassettes'], ['How are you?']);
  const file = join(home, 'cassettes', '0001-gpt-5.2.json');
  writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 6).join('\n'));
  const corrupt = await run(['test'], ['How are you?']);
  expect(corrupt.code).not.toBe(0);
  expect(corrupt.out).toBe('');
  expect(corrupt.err).toMatch(/cassettes[\\/]0001-gpt-5\.2\.json:6 is no JSON/);
});

const AGENT = fileURLToPath(new URL('programs/sdk-agent.mjs', import.meta.url));

test.each([
  ['chat', 'whole', 'openai-chat'],
  ['responses', 'stream', 'openai-responses'],
  ['anthropic', 'stream', 'anthropic-messages'],
  ['google', 'whole', 'google-generatecontent'],
] as const)(
  "an agent on the vendor's SDK (%s, %s) runs from cassettes without a change, and its tools run",
  async (api, how, dialect) => {
    const { home, emulator } = await startProgram();
    const notes = (text: string) => ({ blocks: [{ type: 'tool-use' as const, name: 'note', input: { text } }] });
    emulator.script(dialect, [notes('First'), notes('Second'), says('Done.')]);
    const agent = ['--', process.execPath, AGENT, api, how, 'notes.txt'];
    const env = emulator.env();
    expect(await skein(home, ['record', '--to', 'cassettes', ...agent], '', env)).toMatchObject({
      code: 0,
      out: 'Done.\n',
    });
    // Keys are gone, addresses lead nowhere.
    const gone = Object.fromEntries(Object.entries(env).filter(([name]) => name.endsWith('_URL')));
    await emulator.close();
    const tested = await skein(home, ['test', ...agent], '', gone);
    expect(tested).toMatchObject({ code: 0, out: 'Done.\n' });
    expect(tested.err).toContain('3 hits, 0 misses, 0 cassettes unused');
    expect(readFileSync(join(home, 'notes.txt'), 'utf8')).toBe('First\nSecond\nFirst\nSecond\n');
  },
);
