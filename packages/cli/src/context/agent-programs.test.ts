import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseModel } from '@skein/core';
import { expect, onTestFinished, test } from 'vitest';
import { addressesAt, findAgent, missingKeys, prepareProgram } from './agent-programs.ts';

const URL = 'http://127.0.0.1:9';
const target = parseModel('anthropic/claude-opus-5-5');
const NAME = 'anthropic/claude-opus-5-5';

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'skein-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

async function prepare(
  command: string[],
  env: NodeJS.ProcessEnv = {},
  home = newHome(),
  part: 'gateway' | 'proxy' = 'gateway',
) {
  const prepared = await prepareProgram(command, {
    addresses: addressesAt(URL, part),
    target: part === 'gateway' ? target : undefined,
    env,
    home,
  });
  onTestFinished(() => prepared.close());
  return prepared;
}

test('an agent is known by its name, its path or its package', () => {
  const found = (...command: string[]) => {
    const { agent, at } = findAgent(command);
    return [agent?.name, at];
  };
  expect(found('claude', '-p', 'Hi')).toEqual(['claude', 0]);
  expect(found('/usr/local/bin/codex', 'exec')).toEqual(['codex', 0]);
  expect(found('codex.cmd')).toEqual(['codex', 0]);
  expect(found('npx', '-y', '@openai/codex@latest', 'exec')).toEqual(['codex', 2]);
  expect(found('pnpm', 'dlx', '@anthropic-ai/claude-code')).toEqual(['claude', 2]);
  expect(found('npx', 'prettier', 'codex')).toEqual([undefined, 0]);
  expect(found('node', 'codex')).toEqual([undefined, 0]);
});

test("any program gets the addresses of the vendors' SDKs, and keys that are none", async () => {
  const { command, env } = await prepare(['node', 'program.mjs'], { HOME: '/h' });
  expect(command).toEqual(['node', 'program.mjs']);
  expect(env).toEqual({
    HOME: '/h',
    OPENAI_BASE_URL: `${URL}/gateway/openai/v1`,
    ANTHROPIC_BASE_URL: `${URL}/gateway/anthropic`,
    GOOGLE_GEMINI_BASE_URL: `${URL}/gateway/google`,
  });
  expect(missingKeys({ OPENAI_API_KEY: 'sk-own' })).toEqual({ ANTHROPIC_API_KEY: 'skein', GEMINI_API_KEY: 'skein' });
});

test('Claude Code asks for the model, in its side calls as well', async () => {
  const { command, env } = await prepare(['claude', '-p', 'Hi']);
  expect(command).toEqual(['claude', '-p', 'Hi']);
  expect(env).toMatchObject({ ANTHROPIC_MODEL: NAME, ANTHROPIC_SMALL_FAST_MODEL: NAME });
  expect((await prepare(['claude'], {}, newHome(), 'proxy')).env.ANTHROPIC_MODEL).toBeUndefined();
});

test('Codex gets its overrides before the words of the user', async () => {
  const { command, env } = await prepare(['codex', 'exec', 'Hi']);
  expect(command).toEqual([
    ...['codex', '-c', 'model_provider="skein"', '-c'],
    `model_providers.skein={name="skein",base_url="${URL}/gateway/openai/v1",wire_api="responses",env_key="SKEIN_ROUTE_KEY"}`,
    ...['-c', `model="${NAME}"`, 'exec', 'Hi'],
  ]);
  expect(env.SKEIN_ROUTE_KEY).toBe('skein');
  expect((await prepare(['codex', 'exec'], {}, newHome(), 'proxy')).command).toEqual([
    ...['codex', '-c', `openai_base_url="${URL}/proxy/openai/v1"`, 'exec'],
  ]);
});

test.skipIf(process.platform === 'win32')(
  'Gemini CLI gets a home that shows its own, with another way to sign in (links need rights on Windows)',
  async () => {
    const home = newHome();
    const own = join(home, '.gemini');
    mkdirSync(join(own, 'tmp'), { recursive: true });
    writeFileSync(
      join(own, 'settings.json'),
      '{"ui":{"theme":"x"},"security":{"auth":{"selectedType":"oauth-personal"}}}',
    );
    writeFileSync(join(own, 'projects.json'), 'old');
    const prepared = await prepare(['gemini', '-p', 'Hi'], {}, home);
    expect(prepared.command).toEqual(['gemini', '-m', NAME, '-p', 'Hi']);
    const shown = join(prepared.env.GEMINI_CLI_HOME!, '.gemini');
    expect(JSON.parse(readFileSync(join(shown, 'settings.json'), 'utf8'))).toEqual({
      ui: { theme: 'x' },
      security: { auth: { selectedType: 'gemini-api-key' } },
    });
    // It writes a file anew and puts it into the place of the old one.
    rmSync(join(shown, 'projects.json'));
    writeFileSync(join(shown, 'projects.json'), 'new');
    writeFileSync(join(shown, 'tmp', 'session.jsonl'), 'kept');
    await prepared.close();
    expect(existsSync(shown)).toBe(false);
    expect(readFileSync(join(own, 'projects.json'), 'utf8')).toBe('new');
    expect(readFileSync(join(own, 'tmp', 'session.jsonl'), 'utf8')).toBe('kept');
    expect(readFileSync(join(own, 'settings.json'), 'utf8')).toContain('oauth-personal');
    expect((await prepare(['gemini', '-m', 'mine'])).command).toEqual(['gemini', '-m', 'mine']);
    // Whoever signs in with an account is recorded as far as that goes, and not signed out.
    expect((await prepare(['gemini'], {}, newHome(), 'proxy')).env.GEMINI_CLI_HOME).toBeUndefined();
  },
);

test('OpenCode gets a provider beside those of the user', async () => {
  const given = { OPENCODE_CONFIG_CONTENT: '{"theme":"x","provider":{"mine":{}}}' };
  const { env } = await prepare(['opencode', 'run', 'Hi'], given);
  expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT!)).toMatchObject({
    theme: 'x',
    model: `skein/${NAME}`,
    small_model: `skein/${NAME}`,
    provider: { mine: {}, skein: { options: { baseURL: `${URL}/gateway/openai/v1` }, models: { [NAME]: {} } } },
  });
  await expect(prepare(['opencode'], { OPENCODE_CONFIG_CONTENT: '[' })).rejects.toThrow(
    /OPENCODE_CONFIG_CONTENT is not/,
  );
  const recorded = await prepare(['opencode'], {}, newHome(), 'proxy');
  expect(JSON.parse(recorded.env.OPENCODE_CONFIG_CONTENT!)).toEqual({
    provider: {
      openai: { options: { baseURL: `${URL}/proxy/openai/v1` } },
      anthropic: { options: { baseURL: `${URL}/proxy/anthropic/v1` } },
      google: { options: { baseURL: `${URL}/proxy/google/v1beta` } },
    },
  });
});

test.skipIf(process.platform === 'win32')(
  'pi gets a folder that shows its own, with one model more (links need rights on Windows)',
  async () => {
    const home = newHome();
    const own = join(home, '.pi', 'agent');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'settings.json'), '{"a":1}');
    writeFileSync(join(own, 'models.json'), '{"providers":{"house":{"baseUrl":"http://h"}}}');
    const prepared = await prepare(['pi', '-p', 'Hi'], {}, home);
    expect(prepared.command).toEqual(['pi', '--provider', 'skein', '--model', NAME, '-p', 'Hi']);
    const folder = prepared.env.PI_CODING_AGENT_DIR!;
    expect(lstatSync(join(folder, 'settings.json')).isSymbolicLink()).toBe(true);
    mkdirSync(join(folder, 'sessions'));
    writeFileSync(join(folder, 'sessions', 'one.jsonl'), 'kept');
    expect(JSON.parse(readFileSync(join(folder, 'models.json'), 'utf8')).providers).toMatchObject({
      house: { baseUrl: 'http://h' },
      skein: { api: 'openai-responses', models: [{ id: NAME, contextWindow: expect.any(Number) }] },
    });
    await prepared.close();
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync(join(own, 'sessions', 'one.jsonl'), 'utf8')).toBe('kept');
    expect(readFileSync(join(own, 'models.json'), 'utf8')).toBe('{"providers":{"house":{"baseUrl":"http://h"}}}');
  },
);

test('an agent has its settings at the same path in every run, so that its prompts and the reasoning behind them stay', async () => {
  const home = newHome();
  const gemini = () => prepare(['gemini'], { GEMINI_API_KEY: 'any' }, home, 'proxy');
  const first = await gemini();
  const path = first.env.GEMINI_CLI_HOME!;
  const beside = await gemini();
  // Another run at the same time has a folder of its own.
  expect(beside.env.GEMINI_CLI_HOME).not.toBe(path);
  await beside.close();
  await first.close();
  expect(existsSync(path)).toBe(false);
  // One that crashed leaves its lock and its files: they are put aside.
  mkdirSync(path);
  writeFileSync(join(path, 'unsaved'), 'x');
  writeFileSync(`${path}.lock`, '999999999');
  const next = await gemini();
  expect(next.env.GEMINI_CLI_HOME).toBe(path);
  expect(existsSync(join(path, 'unsaved'))).toBe(false);
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith(`${basename(path)}-left-`));
  expect(left).toHaveLength(1);
  rmSync(join(tmpdir(), left[0]!), { recursive: true });
});
