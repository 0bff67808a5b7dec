import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { toCurl } from './request-tab.tsx';

/** What a real shell would give to curl. */
function argumentsOf(command: string): string[] {
  const printed = execFileSync('sh', ['-c', command.replace(/^curl/, `printf '%s\\0'`)], {
    env: { ...process.env, OPENAI_API_KEY: 'sk-"$(x)' },
  });
  return printed.toString().split('\0').slice(0, -1);
}

test('a shell reads the body byte for byte', () => {
  const body = [`{"text":"it's`, String.raw`\"quoted\" $HOME $(rm -rf) \n`, '`ls`', '\n line 😀 \\\\"}'].join(' ');
  expect(argumentsOf(toCurl({ url: 'https://a.test/v1?x=1&y=2', headers: {}, body }))).toEqual([
    'https://a.test/v1?x=1&y=2',
    '--data-binary',
    body,
  ]);
});

test('the key comes from the environment, and is not read as shell', () => {
  const headers = { authorization: 'Bearer $OPENAI_API_KEY', 'x-note': "a'b $(c) $lower" };
  const command = toCurl({ url: 'https://a.test', headers, body: '{}' });
  expect(command).not.toContain('sk-');
  expect(argumentsOf(command)).toEqual([
    'https://a.test',
    '-H',
    'authorization: Bearer sk-"$(x)',
    '-H',
    "x-note: a'b $(c) $lower",
    '--data-binary',
    '{}',
  ]);
});
