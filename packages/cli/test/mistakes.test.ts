import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '@skein/emulator';
import { afterAll, describe, expect, test } from 'vitest';
import { skein } from './skein.ts';

const home = mkdtempSync(join(tmpdir(), 'skein-mistakes-'));
const store = join(home, 'forest');
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe('mistakes', () => {
  test.each([
    ['an id that is none', ['log', 'nonsense!'], 1, 'There is no node or thread "nonsense!"'],
    ['an id that leads nowhere', ['show', 'abcdef0123'], 1, 'There is no node or thread'],
    ['a file that is not there', ['import', 'missing.json'], 1, 'There is no missing.json.'],
    ['a flag that is none', ['threads', '--nonsense'], 2, "unknown option '--nonsense'"],
    ['a command that is none', ['serch'], 2, 'There is no command "serch". Did you mean "search"?'],
    ['a question without a command', ['What is a skein?'], 2, 'To ask a model, write ask before the question'],
    ['an argument too few', ['diff', 'abcd'], 2, "missing required argument 'b'"],
    ['two ways to show', ['show', 'abcd', '--raw', '--request'], 2, 'cannot be used with'],
    ['a count that is none', ['threads', '--limit', 'many'], 2, 'whole number'],
    ['a day that is none', ['usage', '--since', 'someday'], 2, 'Give a day'],
    ['a format that is none', ['export', '--format', 'pdf'], 2, 'Allowed choices'],
    [
      'a format to import that is none',
      ['import', 'x.json', '--format', 'pdf'],
      2,
      'Allowed choices are codex, gemini-cli',
    ],
    ['a model without a provider', ['ask', 'Hi', '--model', 'gpt'], 2, 'provider/model'],
    ['a provider that is none', ['ask', 'Hi', '--model', 'opnai/gpt'], 2, 'Did you mean "openai"?'],
    ['an agent that is none', ['run', 'nobody', 'Hi'], 1, 'There is no agent "nobody"'],
    ['a dialect that is none', ['export', '--dialect', 'klingon'], 2, 'Unknown dialect "klingon"'],
    ['a port that is none', ['serve', '--port', '99999'], 2, 'from 0 to 65535'],
    ['a token that is not set', ['serve', '--token', 'NO_SUCH_TOKEN'], 2, 'NO_SUCH_TOKEN has no token: set it'],
    ['an open server without a token', ['serve', '--host', '0.0.0.0', '--port', '0'], 2, 'set SKEIN_TOKEN to a token'],
    ['a brain that is none', ['emulate', '--brain', 'none'], 2, 'Allowed choices are demo, echo'],
    ['no question', ['ask'], 2, 'There is no question'],
    ['a project that cannot be one', ['threads', '--project', 'a b/c'], 2, 'project'],
  ])('%s', async (_what, args, code, message) => {
    const ran = await skein(home, args.includes('emulate') ? args : [...args, '--store', store]);
    expect(ran).toMatchObject({ code, out: '' });
    expect(ran.err).toContain(message);
    expect(ran.err).not.toContain('    at ');
    expect(
      ran.err
        .replace(/^DEMO.*\n/, '')
        .trim()
        .split('\n'),
    ).toHaveLength(1);
  });

  test('flags before the command', async () => {
    const ran = await skein(home, ['--store', store, 'threads']);
    expect(ran).toMatchObject({ code: 2, err: 'skein: Write flags after the command: skein threads --flag.\n' });
  });

  test('a wrong key, and what to do about it', async () => {
    const emulator = await startEmulator({ key: 'right' });
    const env = { ...emulator.env(), ANTHROPIC_API_KEY: 'wrong', SKEIN_MODEL: 'anthropic/claude-sonnet-4-5' };
    const { code, out, err } = await skein(home, ['ask', 'Hi', '--store', store], '', env);
    await emulator.close();
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/invalid x-api-key.*"skein models" says which variable holds it\.\n$/);
  });

  test.each([['ask'], ['run', 'brief']])(
    'a named model without a key: %s fails, and no demo is promised',
    async (...command) => {
      const other = join(home, `other-${command[0]}`);
      mkdirSync(join(other, 'agents'), { recursive: true });
      writeFileSync(
        join(other, 'agents', 'brief.yaml'),
        'model: anthropic/claude-sonnet-4-5\nsystem_prompt: Be brief.\n',
      );
      const provider = '{ base_url: http://127.0.0.1:9/v1, key_variable: TOY_KEY }';
      writeFileSync(join(other, 'skein.config.yaml'), `agents: ./agents\nproviders:\n  toy: ${provider}\n`);
      const ran = await skein(other, [...command, 'Hi', '--model', 'toy/x', '--store', store]);
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('No key for toy') });
      expect(ran.err).not.toContain('DEMO');
    },
  );

  test('an answer without a word is no answer', async () => {
    const emulator = await startEmulator();
    emulator.script('anthropic-messages', [{ blocks: [], stop: 'refusal' }]);
    const env = { ...emulator.env(), SKEIN_MODEL: 'anthropic/claude-sonnet-4-5' };
    const ran = await skein(home, ['ask', 'Hi', '--store', store], '', env);
    await emulator.close();
    expect(ran).toMatchObject({ code: 1, out: '', err: 'skein: The model gave no answer.\n' });
  });

  test('a taken port ends the command, and nothing stays open', async () => {
    const emulator = await startEmulator();
    const port = new URL(emulator.url).port;
    const ran = await skein(home, ['serve', '--port', port, '--store', store]);
    await emulator.close();
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`Port ${port} is taken.`);
  });

  test.skipIf(process.getuid?.() === 0)('a folder that may not be written (skipped for root, who may)', async () => {
    const locked = join(home, 'locked');
    mkdirSync(locked, { mode: 0o500 });
    const ran = await skein(home, ['ask', 'Hi', '--store', locked]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('--store takes another place.');
    expect((await skein(home, ['doctor', '--store', locked])).out).toContain('error store');
    const recorded = await skein(home, ['record', '--store', locked, '--', process.execPath, '-e', 'console.log(1)']);
    expect(recorded).toMatchObject({ code: 1, out: '' });
    expect(recorded.err).toContain('--store takes another place.');
  });

  test('--verbose says where an error came from', async () => {
    expect((await skein(home, ['show', 'abcdef0123', '--verbose'])).err).toContain('    at ');
  });
});
