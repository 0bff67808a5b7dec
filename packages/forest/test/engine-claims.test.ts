import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { user } from '@skein/core';
import { says } from '@skein/emulator';
import { fileStore, postgresStore, ROOT, type Store } from '@skein/forest';
import { afterEach, describe, expect, test } from 'vitest';
import { processes } from './engine-kit.ts';
import { grow, start } from './kit.ts';
import { useDatabase } from './postgres/use-database.ts';

const MODEL = 'anthropic/claude-opus-5-5';
const hangs = says('Never to be heard in full.', { break: { after: { events: 4 }, how: 'hang' } });

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
const used = useDatabase();

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'skein-claims-'));
  folders.push(made);
  return made;
}

/** Several stores on the same data, as in several processes. */
const shared: Readonly<Record<string, (count: number) => Promise<Store[]>>> = {
  files: (count) => {
    const where = folder();
    return Promise.all(Array.from({ length: count }, () => fileStore(where)));
  },
  postgres: (count) => {
    const project = used.newProject();
    return Promise.all(Array.from({ length: count }, () => postgresStore(used.database.url, { project })));
  },
};

describe.each(Object.entries(shared))('%s', (_, open) => {
  test('of four processes that start or resume the same at once, one does', async () => {
    const emulator = await start();
    const stores = await open(4);
    const worlds = stores.map((store) => grow(emulator, store));
    const [{ forest }] = worlds as [(typeof worlds)[0]];
    for (let round = 0; round < 3; round++) {
      const node = await forest.append(ROOT, [user(`Question ${round}`)]);
      emulator.script('anthropic-messages', [hangs]);
      const starts = await Promise.allSettled(worlds.map(({ engine }) => engine.generate(node, { model: MODEL })));
      const [first, ...others] = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(others).toEqual([]);
      expect(reasons(starts)).toEqual(Array(3).fill('generation_running'));
      first!.stop();
      await first!.result;
      emulator.script('anthropic-messages', [hangs]);
      const again = await Promise.allSettled(worlds.map(({ engine }) => engine.resume(first!.id)));
      expect(reasons(again)).toEqual(Array(3).fill('generation_running'));
      for (const one of again)
        if (one.status === 'fulfilled') {
          one.value.stop();
          await one.value.result;
        }
    }
    await Promise.all(stores.map((store) => store.close()));
  });
});

test('what a dead process was about to start keeps nobody from starting it', async () => {
  const emulator = await start();
  const next = processes(emulator);
  const first = next();
  const node = await first.forest.append(ROOT, [user('Hello')]);
  const told = first.store.append;
  Object.assign(first.store, {
    append: async (records: Parameters<Store['append']>[0]) => {
      await told(records);
      first.die();
    },
  });
  void first.engine.generate(node, { model: MODEL });
  const second = next();
  await expect
    .poll(async () => (await second.store.refs({ on: 'forest', keys: ['engine'] })).items[0]?.value)
    .toEqual([node]);
  emulator.script('anthropic-messages', [says('Hello.')]);
  expect((await (await second.engine.generate(node, { model: MODEL })).result).status).toBe('done');
});

function reasons(results: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return results.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: unknown }).code] : []));
}
