/** Completion in a real bash; the answers are the same for every shell. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../../scripts/installed-packages.ts';
import { type SeededHome, seedHome } from './seeded-home.ts';
import { skein } from './skein.ts';

let world: SeededHome;
beforeAll(async () => {
  world = await seedHome();
});
afterAll(() => world.remove());

test('bash completes commands, flags, choices, models and threads, and leaves files to the shell', () => {
  const asked = [
    ['untag', 'unt'],
    ['flags', 'ask --sch'],
    ['choices', 'handoff x --to co'],
    ['inner', 'keys r'],
    ['models', 'ask -m anthropic/claude-sonnet-4-5'],
    ['threads', `log --store ${world.store} ''`],
    ['options', 'ask -o temp'],
    ['files', 'ask -a ""'],
  ] as const;
  const script = `
    skein() { ${process.execPath} ${command} "$@"; }
    eval "$(skein completion bash)"
    compopt() { files=1; }
    try() { name=$1; shift; files=; COMP_WORDS=(skein "$@"); COMP_CWORD=$#; _skein; echo "$name|$files|\${COMPREPLY[*]//$'\\n'/ }"; }
    ${asked.map(([name, words]) => `try ${name} ${words} | tr '\\n' ' '; echo`).join('\n    ')}
  `;
  const env = { PATH: process.env.PATH, HOME: world.home };
  const out = execFileSync('bash', ['-c', script], { env, encoding: 'utf8', cwd: world.home });
  const found = Object.fromEntries(
    out
      .trim()
      .split('\n')
      .map((line) => line.split('|'))
      .map(([name, files, values = '']) => [name, files === '1' ? 'files' : values.trim().split(' ')]),
  );
  expect(found).toEqual({
    untag: ['untag'],
    flags: ['--schema', '--schema-multi'],
    choices: ['codex'],
    inner: ['rm'],
    models: expect.arrayContaining(['anthropic/claude-sonnet-4-5']),
    threads: expect.arrayContaining([world.seeded.thread, world.seeded.other]),
    options: ['temperature'],
    files: 'files',
  });
});

test('each shell has its script, and another one is refused', async () => {
  expect((await skein(world.home, ['completion', 'zsh'])).out).toContain('compdef _skein skein');
  expect((await skein(world.home, ['completion', 'fish'])).out).toContain('complete -c skein');
  expect(await skein(world.home, ['completion', 'tcsh'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('bash, zsh, fish'),
  });
});
