import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { user } from '@skein/core';
import { openForest } from '@skein/forest';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../scripts/postgres.mjs';
import { skein } from './skein.ts';

test('a project moves to another database while it is written, by a push, a switch and a push, and loses nothing', async () => {
  const home = mkdtempSync(join(tmpdir(), 'skein-move-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [before, after] = [await startPostgres([]), await startPostgres([])];
  onTestFinished(async () => {
    await before.remove();
    await after.remove();
  });
  const [OLD_URL, NEW_URL] = [before.url, after.url];
  const push = () =>
    skein(home, ['push', 'postgres:NEW_URL', '--store', 'postgres:OLD_URL', '--project', 'support'], '', {
      OLD_URL,
      NEW_URL,
    });

  const acknowledged: string[] = [];
  const writeTo = async (address: string, name: string, isDone: () => boolean) => {
    const forest = await openForest(address, { project: 'support' });
    for (let at = 0; at < 5 || !isDone(); at++) {
      const { id } = await forest.threads.begin([user(`${name} ${at}`)]);
      acknowledged.push(id);
    }
    await forest.close();
  };
  let hasSwitched = false;
  const slow = writeTo(OLD_URL, 'a server that has not been restarted yet', () => hasSwitched);
  const first = await push();
  expect([first.code, first.err]).toEqual([0, '']);
  const fast = writeTo(NEW_URL, 'a server that has', () => hasSwitched);
  hasSwitched = true;
  await Promise.all([slow, fast]);
  expect((await push()).code).toBe(0);

  const moved = await openForest(NEW_URL, { project: 'support' });
  const there = new Set((await moved.threads.list({ limit: 1000 })).items.map(({ id }) => id));
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
  expect(there.size).toBe(acknowledged.length);
  expect(await moved.store.check()).toEqual([]);
  await moved.close();
});
