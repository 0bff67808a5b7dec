import { postgresStore, ROOT, type Store } from '@skein/forest';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type Database } from './database.ts';
import { chain, nodesOf } from './records.ts';

let database: Database;
const open: Store[] = [];
beforeAll(async () => {
  database = await createDatabase();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
});
afterAll(() => database.drop());

let projects = 0;
async function store(project = `project ${projects++}`): Promise<Store> {
  const opened = await postgresStore(database.url, { project });
  open.push(opened);
  return opened;
}

describe('a long history', () => {
  test('is read by its pages, whole and in part', async () => {
    const one = await store();
    const records = chain(Array.from({ length: 300 }, (_, at) => `message ${at}`));
    const nodes = nodesOf(records);
    await one.append(records.slice(0, 200));
    for (let at = 200; at < records.length; at += 2) await one.append(records.slice(at, at + 2));
    expect(await one.path(nodes[299]!.id)).toEqual(nodes);
    for (const above of [0, 62, 63, 64, 127, 250, 298, 299])
      expect(await one.path(nodes[299]!.id, nodes[above]!.id)).toEqual(nodes.slice(above + 1));
    const [{ count } = {}] = await database.query('select count(*)::int from skein_page');
    expect(count).toBe(4);
  });

  test('is whole also when its end came first', async () => {
    const one = await store();
    const records = chain(Array.from({ length: 200 }, (_, at) => `reversed ${at}`));
    const nodes = nodesOf(records);
    await one.append(records.slice(200));
    expect(await one.path(nodes[199]!.id)).toEqual(nodes.slice(100));
    await one.append(records.slice(0, 200));
    expect(await one.path(nodes[199]!.id)).toEqual(nodes);
    expect(await one.path(nodes[199]!.id, 'f'.repeat(40))).toEqual(nodes);
    expect(await one.path(nodes[199]!.id, ROOT)).toEqual(nodes);
  });
});
