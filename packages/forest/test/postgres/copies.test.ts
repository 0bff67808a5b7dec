import { createForest, createRecorder, listExchanges, postgresStore, readRecorded } from '@skein/forest';
import pg from 'pg';
import { expect, test } from 'vitest';
import { BLOCK_MS, fillWithCopies, makeMonths } from '../../../../bench/scale/copies.mjs';
import { createDatabase } from './database.ts';

const TURNS = 3;
const CONVERSATIONS = 4;

test('a project that the bench fills has the rows of a recorded one, and copies that can be read like it', async () => {
  const database = await createDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 8 });
  pool.on('error', () => undefined);
  const began = Math.floor(Date.now() / BLOCK_MS - 1) * BLOCK_MS;
  const recorded = await postgresStore(pool, { project: 'recorded' });
  let now = began;
  const recorder = createRecorder(createForest(recorded, { now: () => now++ }));
  for (let talk = 0; talk < CONVERSATIONS; talk++) {
    const messages: { role: string; content: string }[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      messages.push({ role: 'user', content: `Question ${talk} ${turn}?` });
      const url = 'https://api.openai.com/v1/chat/completions';
      const recording = recorder.begin({
        method: 'POST',
        url,
        headers: [],
        body: JSON.stringify({ model: 'm', messages }),
      });
      const message = { role: 'assistant', content: `Answer ${talk} ${turn}.` };
      messages.push(message);
      recording.head(200, [['content-type', 'application/json']]);
      const reply = { id: `chatcmpl-${talk}-${turn}`, choices: [{ index: 0, message, finish_reason: 'stop' }] };
      recording.push(new TextEncoder().encode(JSON.stringify(reply)));
      recording.end('done');
      await recorder.settled();
    }
  }
  await recorded.facts!.write(
    undefined,
    { version: 'v', state: '{}' },
    new Map([
      ['abc first', '{"x":1}'],
      ['zyx second', '{}'],
    ]),
  );
  await recorded.close();
  const projects = [
    { project: 'same', copies: 0 },
    { project: 'more', copies: 2 },
  ];
  await makeMonths(pool, (project) => postgresStore(pool, { project }), began, projects);
  await fillWithCopies(pool, { project: 'recorded', began }, projects, () => undefined);

  for (const table of ['entry', 'ref', 'node', 'take', 'words', 'body', 'fact']) {
    const rows = async (project: string) => {
      const found = await database.query(
        `select to_jsonb(t) - 'project' - 'seq' as row from skein_${table} as t where project = $1`,
        [project],
      );
      // Words of different projects differ in their first letters.
      return found.map(({ row }) => JSON.stringify(row).replaceAll(/'[0-9a-f]{6}(?=[^']*':)/g, "'")).sort();
    };
    const own = await rows('recorded');
    expect(own.length, table).toBeGreaterThan(0);
    expect(await rows('same'), table).toEqual(own);
    // What belongs to the whole project is there once.
    const once =
      table === 'ref'
        ? own.filter((row) => row.includes('"key": "placement"') || row.includes('"key":"placement"'))
        : [];
    expect((await rows('more')).length, table).toBe(3 * own.length - 2 * once.length);
  }
  const more = await postgresStore(pool, { project: 'more' });
  const forest = createForest(more);
  const { items: threads } = await forest.threads.list({ limit: 100 });
  expect(threads.length).toBe(3 * CONVERSATIONS);
  for (const { head } of threads) expect((await more.path(head)).length).toBe(2 * TURNS);
  const { items: exchanges } = await listExchanges(forest, { limit: 1000 });
  expect(exchanges.length).toBe(3 * CONVERSATIONS * TURNS);
  for (const { id, landing } of exchanges) {
    expect((await more.nodes([landing?.node ?? '']))[0]?.id).toBe(landing?.node);
    expect((await readRecorded(forest, id))?.response.length ?? 0).toBeGreaterThan(0);
  }
  await more.close();
  await pool.end();
  await database.drop();
});

test('every month that the copies will have gets a partition, also where they are many', async () => {
  const database = await createDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 8 });
  pool.on('error', () => undefined);
  const began = Date.parse('2026-11-15T00:00:00Z');
  const open = (project: string) => postgresStore(pool, { project });
  await makeMonths(pool, open, began, [{ project: 'p', copies: 130 }]);
  const months = await database.query(
    "select right(relname, 6) as month from pg_class where relname like 'skein_exchange_%' and relkind = 'r'",
  );
  expect(months.map(({ month }) => month)).toEqual(expect.arrayContaining(['202608', '202609', '202610', '202611']));
  expect(await database.query("select from skein_entry where project = 'p'")).toEqual([]);
  await pool.end();
  await database.drop();
});
