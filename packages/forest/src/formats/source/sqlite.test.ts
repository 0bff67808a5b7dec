import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, test } from 'vitest';
import { openSqlite } from './sqlite.ts';

/** Rows of every kind, long enough for several levels of pages and for texts that go on in other pages. */
const rows = Array.from({ length: 800 }, (_, n) => ({
  id: `m${n}`,
  n: n % 3 === 0 ? n : -n * 12_345_678_901,
  data: 'é'.repeat(n % 97 === 0 ? 9000 : n % 40),
  share: n / 3,
  bytes: n % 2 === 0 ? null : new Uint8Array([n % 256, 7]),
}));

test('reads what SQLite wrote: every kind of value, long texts, removed rows, names in quotes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-sqlite-'));
  try {
    const path = join(folder, 'a.db');
    const database = new sqlite.Database(path);
    database.run(
      'CREATE TABLE `message` (`id` text PRIMARY KEY, n integer, data text NOT NULL, share real, bytes blob, CONSTRAINT few CHECK (n <> 1.5))',
    );
    database.run('CREATE TABLE counted (number INTEGER PRIMARY KEY, what)');
    database.run('BEGIN');
    for (const { id, n, data, share, bytes } of rows)
      database.run('INSERT INTO message VALUES (?, ?, ?, ?, ?)', [id, n, data, share, bytes]);
    database.run("INSERT INTO counted (what) VALUES ('one'), ('two')");
    database.run('COMMIT');
    database.run("DELETE FROM message WHERE id LIKE '%5'");
    database.close();
    const file = await openSqlite(path);
    expect(file.tables).toEqual(['message', 'counted']);
    const read = [];
    for await (const row of file.rows('message')) read.push(row);
    expect(read).toEqual(rows.filter(({ id }) => !id.endsWith('5')));
    const counted = [];
    for await (const row of file.rows('counted')) counted.push(row);
    expect(counted).toEqual([
      { number: 1, what: 'one' },
      { number: 2, what: 'two' },
    ]);
    await file.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a write-ahead log counts up to its last complete transaction', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-sqlite-'));
  try {
    const path = join(folder, 'a.db');
    const database = new sqlite.Database(path);
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    database.run('PRAGMA journal_mode = WAL');
    database.run('PRAGMA wal_autocheckpoint = 0');
    database.run('CREATE TABLE word (text text)');
    database.run("INSERT INTO word VALUES ('first'), ('second')");
    const copy = join(folder, 'b.db');
    await copyFile(path, copy);
    await copyFile(`${path}-wal`, `${copy}-wal`);
    database.close();
    const file = await openSqlite(copy);
    const read = [];
    for await (const { text } of file.rows('word')) read.push(text);
    await file.close();
    expect(read).toEqual(['first', 'second']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('another file is refused with its name', async () => {
  await expect(openSqlite(new URL(import.meta.url).pathname)).rejects.toThrow(
    /sqlite\.test\.ts is not a database of SQLite/,
  );
});
