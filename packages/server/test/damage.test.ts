import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { user } from '@skein/core';
import { openForest, ROOT } from '@skein/forest';
import { expect, onTestFinished, test } from 'vitest';
import { startWorld } from './kit.ts';

test('a damaged text is a 500 that names its place, and lists go on without it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-damage-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const before = await openForest(folder);
  const good = await before.append(ROOT, [user('Good')]);
  const bad = await before.append(ROOT, [user('Damaged')]);
  const below = await before.append(bad, [user('Below')]);
  await before.threads.create({ head: below, title: 'T' });
  await before.close();
  const segments = join(folder, 'projects', 'default', 'segments');
  const [name] = await readdir(segments);
  const file = join(segments, name!);
  await writeFile(file, (await readFile(file, 'utf8')).replace('Damaged', 'damaged'));

  const forest = await openForest(folder);
  const { api } = await startWorld({ forest });
  for (const path of [`/nodes/${bad}`, `/nodes/${below}/path`]) {
    const { status, body } = await api('GET', path);
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'damaged', detail: expect.stringMatching(new RegExp(`${name}:\\d+`)) });
  }
  expect((await api('GET', '/nodes/root/children')).body.items.map(({ id }: { id: string }) => id)).toEqual([good]);
  expect((await api('GET', '/threads')).body.items).toMatchObject([{ title: 'T' }]);
  expect((await api('GET', `/nodes/${below}`)).status).toBe(200);
  const exported = await api('GET', '/export?format=markdown');
  expect(exported.status).toBe(200);
  expect(exported.body).toContain('Good');
});
