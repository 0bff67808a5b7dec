import { EventEmitter } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeFile } from './export.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skein-write-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test.each(['SIGINT', 'SIGTERM'])('%s in the middle leaves no half of a file', async (signal) => {
  const folder = newFolder();
  const signals = new EventEmitter();
  async function* parts() {
    yield 'one half';
    signals.emit(signal);
    yield 'the other';
  }
  await expect(writeFile(join(folder, 'all.seg'), parts(), signals)).rejects.toThrow('Stopped: ');
  expect(readdirSync(folder)).toEqual([]);
  expect(signals.listenerCount(signal)).toBe(0);
});

test('a whole file is there under its name alone, and nothing is written over', async () => {
  const folder = newFolder();
  const path = join(folder, 'all.seg');
  async function* parts() {
    yield 'one half, ';
    yield 'the other';
  }
  await writeFile(path, parts());
  expect(readdirSync(folder)).toEqual(['all.seg']);
  await expect(writeFile(path, parts())).rejects.toThrow('already exists');
  expect(readFileSync(path, 'utf8')).toBe('one half, the other');
});

test('the name of a draft is in no error', async () => {
  const folder = newFolder();
  async function* none() {}
  await expect(writeFile(join(folder, 'missing', 'x'), none())).rejects.toThrow(
    `There is no folder ${folder}/missing:`,
  );
  await expect(writeFile('/dev/null/x', none())).rejects.toMatchObject({ code: 'ENOTDIR', path: '/dev/null/x' });
});
