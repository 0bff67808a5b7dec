import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { costOf } from '@skein/core/prices';
import { expect, onTestFinished, test } from 'vitest';
import { openTraffic } from '../open-traffic.ts';
import { exchangeRecord, readExchangeRecord, requestPart } from '../record/exchange.ts';
import { fileStore } from '../store/index.ts';
import type { CacheDiagnosis } from './diagnosis.ts';
import {
  type CacheScope,
  createCacheTotals,
  diagnoseCaching,
  readForest,
  simulateCaching,
  type TrafficSource,
} from './index.ts';
import { type Ask, recordTraffic } from './test-traffic.ts';

const DAY = Date.parse('2026-10-05T08:00:00Z');
const LONG = 'You answer questions about yarn. '.repeat(200);

/** Conversations of several programs at the same time; the request of the second one is told to the provider at each turn anew. */
function asks(): Ask[] {
  return ['steady', 'clock', 'rare'].flatMap((app, number) =>
    Array.from({ length: 4 }, (_, turn) => {
      const turns = Array.from({ length: 2 * turn + 1 }, (_, at) => `${at} of ${app} ${'word '.repeat(40)}`);
      const system = app === 'clock' ? `It is 2026-10-05T08:0${turn}:00Z. ${LONG}` : LONG;
      const at = DAY + turn * (app === 'rare' ? 900_000 : 60_000) + number;
      return { app, at, system, turns, marks: [-1, turns.length - 1] };
    }),
  );
}

async function diagnoseAll(source: TrafficSource, scope: CacheScope = {}): Promise<CacheDiagnosis[]> {
  const all: CacheDiagnosis[] = [];
  for await (const one of diagnoseCaching(source, { costOf, ...scope })) all.push(one);
  return all;
}

/** Records the conversations in a folder, closes it, and returns what an open forest tells of them. */
async function recordInFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'skein-traffic-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { forest } = await recordTraffic(asks(), { store: await fileStore(folder) });
  const known = await diagnoseAll(forest);
  return { folder, forest, known };
}

function segmentPaths(folder: string): string[] {
  const segments = join(folder, 'projects', 'default', 'segments');
  return readdirSync(segments).map((name) => join(segments, name));
}

async function streamAll(folder: string, scope: CacheScope = {}) {
  const traffic = await openTraffic(folder);
  try {
    return { found: await diagnoseAll(traffic, scope), problems: traffic.problems() };
  } finally {
    await traffic.close();
  }
}

test('a folder that is read without its index gives the same diagnoses as the open forest', async () => {
  const { folder, forest, known } = await recordInFolder();
  expect(known.map(({ cause }) => cause)).toContain('volatile');
  expect(known.map(({ cause }) => cause)).toContain('expired');
  expect(await streamAll(folder)).toEqual({ found: known, problems: [] });
  const scope = { since: DAY + 60_000, until: DAY + 150_000 };
  expect((await streamAll(folder, scope)).found).toEqual(await diagnoseAll(forest, scope));
  const traffic = await openTraffic(folder);
  const scenarios = [{ name: 'an hour', lifetime: 3_600_000 }];
  expect(await simulateCaching(traffic, scenarios, { costOf })).toEqual(
    await simulateCaching(forest, scenarios, { costOf }),
  );
  await traffic.close();
  await forest.close();
});

test('a forest that no longer remembers a conversation says of how many requests, and a stream compares them all', async () => {
  const { folder, forest, known } = await recordInFolder();
  const totals = createCacheTotals();
  const forgetful = await diagnoseAll(readForest(forest, { remembered: 1 }));
  for (const one of forgetful) totals.add(one);
  // Three conversations take turns, so each is forgotten until its next request; the last two of "rare" follow each other.
  expect(totals.totals().uncertain).toBe(7);
  await forest.close();
  const { found } = await streamAll(folder);
  expect(found).toEqual(known);
  expect(found.filter(({ isUncertain }) => isUncertain)).toEqual([]);
});

test('of an exchange that was written several times, a stream reads the latest record, wherever it is', async () => {
  const { folder, forest } = await recordInFolder();
  const entry = (await forest.store.entry('exchange', 'x00003'))!;
  const exchange = readExchangeRecord(entry)!;
  await forest.store.append([exchangeRecord({ ...exchange, tags: ['again'] }, forest.clock.tick())]);
  await forest.store.append([requestPart('x00004', { text: '{"model":"m","messages":[]}' }, forest.clock.tick())]);
  const known = await diagnoseAll(forest);
  expect(known[3]!.tags).toEqual(['again']);
  await forest.close();
  expect((await streamAll(folder)).found).toEqual(known);
});

test('a write that was never completed is not in a stream, and one in another order of members is', async () => {
  const { folder, forest, known } = await recordInFolder();
  const exchange = readExchangeRecord((await forest.store.entry('exchange', 'x00000'))!)!;
  await forest.close();
  const { k, id, of, order, clock, data } = exchangeRecord({ ...exchange, tags: ['moved'] }, 'z');
  const segment = join(folder, 'projects', 'default', 'segments', 'other.jsonl');
  const header = '{"skein":"segment","version":1,"writer":"other"}\n';
  writeFileSync(segment, `${header}${JSON.stringify({ data, of, id, order, clock, k })}\n`);
  const torn = JSON.stringify(exchangeRecord({ ...exchange, tags: ['torn'] }, 'zz')).slice(1);
  appendFileSync(segment, `{"~":"9.0.2",${torn}\n`);
  const { found, problems } = await streamAll(folder);
  expect(problems).toEqual([]);
  expect(found[0]!.tags).toEqual(['moved']);
  expect(found.slice(1)).toEqual(known.slice(1));
});

test('a stream reports a damaged request by its place, and reads the others', async () => {
  const { folder, forest, known } = await recordInFolder();
  await forest.close();
  const [path = ''] = segmentPaths(folder);
  const text = readFileSync(path, 'latin1');
  const at = text.indexOf('"text":', text.indexOf('"x00005/request"')) + 40;
  writeFileSync(path, `${text.slice(0, at)}#${text.slice(at + 1)}`, 'latin1');
  const { found, problems } = await streamAll(folder);
  expect(problems).toMatchObject([{ code: 'damaged-record' }]);
  expect(found).toHaveLength(known.length);
  expect(found[5]!.cause).toBe('no-usage');
});

test('an address that is no folder is refused as for a forest', async () => {
  await expect(openTraffic('mysql://host/database')).rejects.toMatchObject({ code: 'bad_name' });
  const traffic = await openTraffic(':memory:');
  expect(await diagnoseAll(traffic)).toEqual([]);
  await traffic.close();
});
