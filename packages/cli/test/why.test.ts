/** `skein why` over a day of recorded traffic: what it says, selects, simulates, and when it fails. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRecordings } from '../../../bench/data/recordings.mjs';
import { skein } from './skein.ts';

const home = mkdtempSync(join(tmpdir(), 'skein-why-'));
const store = join(home, 'store');
afterAll(() => rmSync(home, { recursive: true, force: true }));

// 50 conversations of 10 turns, of 20 programs; every fifth has a time in its system text.
beforeAll(() => writeRecordings(store, 500));

const why = (...args: string[]) => skein(home, ['why', ...args, '--store', store]);

test('why all names the dearest causes, groups them, and fails below the wanted share', async () => {
  const told = await why('all', '--by', 'app', '--fail-under', '99');
  expect(told.code).toBe(1);
  expect(told.out).toMatch(/^500 requests: /m);
  expect(told.out).toMatch(/^app-5 +30 requests, 0 read, [\d,]+ missed/m);
  expect(told.out).toMatch(/requests of app-5: volatile at system\[0\]\.text\n.*contains a time that differs/);
  expect(told.err).toContain('--fail-under asks for 99 %');
  expect((await why('all', '--fail-under', '10')).code).toBe(0);
});

test('why selects by tag, time, conversation and exchange, and simulates what it selected', async () => {
  const all = (await why('all', '--json', '--simulate', '1h', 'no-markers')).json();
  expect(all.all.requests).toBe(500);
  expect(all.requests).toBeUndefined();
  expect(all.simulated.map(({ scenario }: { scenario: string }) => scenario)).toEqual([
    'as it was sent',
    'kept for an hour',
    'no markers',
  ]);
  expect(all.simulated[2]).toMatchObject({ requests: 500, read: 0, written: 0 });
  expect((await why('all', '--json', '--tag', 'app-5')).json().all.requests).toBe(30);
  expect((await why('all', '--json', '--since', '2026-10-05T00:05:00Z')).json().all.requests).toBe(250);

  const { requests } = (await why('x00000005-3', '--json')).json();
  expect(requests).toMatchObject([
    { exchange: 'x00000005-3', against: 'x00000005-2', thread: 't5', cause: 'volatile' },
  ]);
  // The second turn wrote 1,500 tokens of system text and three messages of 200 each.
  expect(requests[0].tokens).toMatchObject({ read: 0, missed: 2100, isEstimate: false });
});
