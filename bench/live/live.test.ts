import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('without keys it says so, and the emulator plays every provider in every scenario', () => {
  const script = fileURLToPath(new URL('run.mjs', import.meta.url));
  const { PATH = '' } = process.env;
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], { env: { PATH }, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('There is no key in the environment');
  expect(stdout.match(/\| works /g)?.length).toBe(24);
});
