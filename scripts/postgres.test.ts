import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPrograms, startPostgres } from './postgres.mjs';

/** mkdtemp makes it with 0700, like root's home. */
function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-clone-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a server starts when its programs are below a folder that only their owner may enter', async () => {
  const programs = join(privateFolder(), 'native');
  cpSync(findPrograms(), programs, { recursive: true, verbatimSymlinks: true });
  const server = await startPostgres([], programs);
  expect(server.url).toMatch(/^postgres:\/\/postgres:/);
  await server.crash();
  await server.start();
  await server.remove();
});

test('programs that cannot run are an error that says so, not the end of the process', async () => {
  const programs = join(privateFolder(), 'absent');
  await expect(startPostgres([], programs)).rejects.toThrow(/^PostgreSQL did not start: .*absent/);
  expect(existsSync(programs)).toBe(false);
});

test('a server that refuses its settings is an error with the words of the server', async () => {
  await expect(startPostgres(['shared_buffers=nonsense'])).rejects.toThrow(
    /^PostgreSQL did not start: .*shared_buffers/s,
  );
});
