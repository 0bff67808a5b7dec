/** Recorded requests in PostgreSQL: pages in the order of time, and no index in memory. */
import { diagnoseCaching, openTraffic } from '@skein/forest';
import { expect, test } from 'vitest';
import type { CacheDiagnosis, TrafficSource } from '../../src/caching/index.ts';
import { type Ask, recordTraffic } from '../../src/caching/test-traffic.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();
const START = Date.parse('2026-10-05T08:00:00Z');
const RULES = 'You answer questions about yarn. '.repeat(200);

async function diagnose(source: TrafficSource): Promise<CacheDiagnosis[]> {
  const all: CacheDiagnosis[] = [];
  for await (const one of diagnoseCaching(source)) all.push(one);
  return all;
}

test('recorded requests in a database are explained as those in memory', async () => {
  const asks = ['steady', 'clock'].flatMap((app) =>
    Array.from({ length: 3 }, (_, turn): Ask => {
      const turns = Array.from({ length: 2 * turn + 1 }, (_, at) => `${at} of ${app}`);
      const system = app === 'clock' ? `It is 08:0${turn}. ${RULES}` : RULES;
      return { app, at: START + turn * 60_000, system, turns, marks: [-1, turns.length - 1] };
    }),
  );
  const known = await diagnose((await recordTraffic(asks)).forest);
  expect(known.map(({ cause }) => cause)).toContain('volatile');
  const project = 'traffic';
  const { forest } = await recordTraffic(asks, { store: await used.open(project) });
  await forest.close();
  const traffic = await openTraffic(used.database.url, { project });
  expect(await diagnose(traffic)).toEqual(known);
  expect(traffic.problems()).toEqual([]);
  await traffic.close();
});
