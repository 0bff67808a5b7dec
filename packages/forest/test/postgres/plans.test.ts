import type { StoreRecord } from '@skein/forest/store';
import { expect, test } from 'vitest';
import { makeEntry, makeNode, makePath, makeRef, makeTake, toRecords } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

/** Takes, registers and entries. */
function others(count: number): StoreRecord[] {
  return Array.from({ length: count }, (_, at) => [
    makeTake(makeNode(`n${at}`).node, at),
    makeRef(`k${at}`, 'title', at, `c${at}`),
    makeEntry(`e${at}`, { of: `g${at}` }),
  ]).flat();
}

test('look-ups in a project that the statistics do not know use the key, not another index with all its rows', async () => {
  for (let count = 0; count < 5; count++) {
    const store = await used.open();
    await store.append(toRecords(Array.from({ length: 200 }, (_, at) => makeNode(`n${at}`))));
    await store.append(others(200));
  }
  await used.database.query('analyze');
  const project = used.newProject();
  const store = await used.open(project);
  await store.append(toRecords(makePath(Array.from({ length: 2000 }, (_, at) => `m${at}`))));
  await store.append(others(2000));
  const lookUps = [
    ['skein_node_pkey', "select from skein_node where project = $1 and id = 'x'"],
    ['skein_body_pkey', "select from skein_body where project = $1 and digest = 'x'"],
    ['skein_take_pkey', "select from skein_take where project = $1 and node = 'x'"],
    ['skein_ref_pkey', `select from skein_ref where project = $1 and "on" = 'thread' and key = 'x' and name = 'title'`],
    ['skein_entry_pkey', "select from skein_entry where project = $1 and kind = 'event' and id = 'x'"],
    ['skein_node_parent', "select from skein_node where project = $1 and parent = 'x'"],
    ['skein_node_echo', "select from skein_node where project = $1 and echo = 'x'"],
  ] as const;
  const plans: [string, string][] = [];
  for (const [index, query] of lookUps) {
    const rows = await used.database.query(`explain ${query.replace('$1', `'${project}'`)}`);
    const [, found = 'no index'] =
      /using (\w+)/.exec(JSON.stringify(rows)) ?? /Index Scan on (\w+)/.exec(JSON.stringify(rows)) ?? [];
    plans.push([index, found]);
  }
  expect(plans.map(([, found]) => found)).toEqual(plans.map(([index]) => index));
});
