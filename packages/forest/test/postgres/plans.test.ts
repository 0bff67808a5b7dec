import { postgresStore, ROOT } from '@skein/forest';
import type { StoreRecord } from '@skein/forest/store';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
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
    ['skein_entry_rest_pkey', "select from skein_entry where project = $1 and kind = 'event' and id = 'x'"],
    [
      'skein_entry_rest_pkey',
      `select from unnest('{x,y}'::text[]) as wanted (id) cross join lateral (
         select * from skein_entry where project = $1 and kind = 'event' and id = wanted.id offset 0) as found`,
    ],
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

/** A plan of PostgreSQL, as `explain (analyze, format json)` gives it. */
interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** How many rows of tables a plan read. */
function rowsRead(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);
  const own = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  return below + (plan['Relation Name'] === undefined ? 0 : own * plan['Actual Loops']);
}

/** The most rows that any step of a plan had, of tables or of indexes. */
function mostRows(plan: Plan): number {
  const own = plan['Actual Rows'] * plan['Actual Loops'];
  return Math.max(own, ...(plan.Plans ?? []).map(mostRows));
}

/** A store that explains each of its queries in the connection that runs it, and the rows that they read. */
async function explainingStore(project: string) {
  const read: number[] = [];
  const plans: Plan[] = [];
  class ExplainingClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: `query` has a dozen forms, and the store uses one.
    override async query(given: any, ...others: any[]): Promise<any> {
      const { text, values } = given as { text?: string; values?: unknown[] };
      if (/^\s*(select|with hit)/.test(text ?? '') && /from "?skein_/.test(text ?? '')) {
        const { rows } = await super.query({ text: `explain (analyze, format json) ${text}`, values: values ?? [] });
        plans.push(rows[0]['QUERY PLAN'][0].Plan);
        read.push(rowsRead(plans.at(-1)!));
      }
      return super.query(given, ...others);
    }
  }
  const pool = new pg.Pool({ connectionString: used.database.url, Client: ExplainingClient });
  pool.on('error', () => undefined);
  const store = await postgresStore(pool, { project });
  onTestFinished(async () => {
    await store.close();
    await pool.end();
  });
  return { store, read, plans };
}

test('a page reads its own rows, and not those of the whole project', async () => {
  const { store, read } = await explainingStore(used.newProject());
  await store.append(toRecords(makePath(Array.from({ length: 3000 }, (_, at) => `m${at}`))));
  const names = ['title', 'touched', 'head'];
  await store.append(
    names.flatMap((name) => Array.from({ length: 1500 }, (_, at) => makeRef(`k${at}`, name, at, `c${1e6 + at}`))),
  );
  await used.database.query('vacuum analyze');
  const limit = 20;
  const rowsOf = async (page: () => Promise<{ readonly items: readonly unknown[] }>) => {
    read.length = 0;
    expect((await page()).items).toHaveLength(limit);
    return read.reduce((sum, rows) => sum + rows, 0);
  };
  const { next } = await store.scan({ limit });
  // And the row of the one lane.
  expect(await rowsOf(() => store.scan({ limit }))).toBe(limit + 2);
  expect(await rowsOf(() => store.scan({ limit, after: next! }))).toBe(limit + 2);
  for (const order of ['newest', 'oldest'] as const) {
    const threads = (after?: string) =>
      store.refs({ on: 'thread', names: ['touched'], order, limit, ...(after !== undefined && { after }) });
    const first = await threads();
    expect(await rowsOf(() => threads())).toBeLessThan(2 * limit);
    expect(await rowsOf(() => threads(first.next))).toBeLessThan(2 * limit);
  }
});

test('a page of exchanges or of first messages reads its own rows, and not those of the whole project', async () => {
  const { store, read } = await explainingStore(used.newProject());
  await store.append(toRecords(Array.from({ length: 1500 }, (_, at) => makeNode(`n${at}`, { at }))));
  const order = (at: number) => `o${1e6 + at}`;
  await store.append(
    Array.from({ length: 1500 }, (_, at) => [
      makeEntry(`x${at}`, { k: 'exchange', of: 'exchanges', order: order(at) }),
      makeEntry(`x${at}/request`, { k: 'exchange', of: `x${at}`, order: 'request' }),
      makeEntry(`g${at}`, { k: 'generation', of: `n${at}`, order: order(at) }),
    ]).flat(),
  );
  await used.database.query('vacuum analyze');
  const limit = 20;
  const rowsOf = async (page: () => Promise<{ readonly items: readonly unknown[] }>) => {
    read.length = 0;
    expect((await page()).items).toHaveLength(limit);
    return read.reduce((sum, rows) => sum + rows, 0);
  };
  const exchanges = { of: 'exchanges', limit };
  const lists: ((after?: string) => Promise<{ readonly items: readonly unknown[]; readonly next?: string }>)[] = [
    (after) => store.entries('exchange', { ...exchanges, ...(after !== undefined && { after }) }),
    (after) => store.entries('exchange', { ...exchanges, order: 'newest', ...(after !== undefined && { after }) }),
    () => store.entries('exchange', { ...exchanges, afterOrder: order(700) }),
    (after) => store.entries('exchange', { limit, ...(after !== undefined && { after }) }),
    (after) => store.entries('generation', { limit, order: 'newest', ...(after !== undefined && { after }) }),
    (after) => store.children(ROOT, { limit, ...(after !== undefined && { after }) }),
  ];
  for (const list of lists) {
    const { next } = await list();
    expect(await rowsOf(() => list()), String(list)).toBeLessThan(3 * limit);
    expect(await rowsOf(() => list(next)), String(list)).toBeLessThan(3 * limit);
  }
});

test('registers of a few keys and one name are looked up, and not found among all of that name', async () => {
  const { store, read } = await explainingStore(used.newProject());
  await store.append(Array.from({ length: 3000 }, (_, at) => makeRef(`k${at}`, 'landed', at, `c${1e6 + at}`)));
  await used.database.query('vacuum analyze');
  read.length = 0;
  const keys = ['k7', 'k2999', 'k7', 'none'];
  const { items } = await store.refs({ on: 'thread', keys, names: ['landed'], limit: 1000 });
  expect(items.map(({ key }) => key)).toEqual(['k7', 'k2999']);
  expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(10);
});

test('a search for two words reads its hits, and not the keys of all words of the project', async () => {
  const { store, plans } = await explainingStore(used.newProject());
  const texts = Array.from({ length: 3000 }, (_, at) => `question word${at % 100} ${at}`);
  await store.append(toRecords(texts.map((text, at) => makeNode(text, { at }))));
  await used.database.query('vacuum analyze');
  const hits = texts.length / 100;
  for (const more of [{}, { roles: ['user'] }, { since: 0 }] as const) {
    plans.length = 0;
    const { items } = await store.search({ words: ['question', 'word17'], limit: 2 * hits, ...more });
    expect(items).toHaveLength(hits);
    expect(plans).toHaveLength(1);
    // The nodes of its hits are looked up in a join.
    expect(mostRows(plans[0]!), JSON.stringify(more)).toBeLessThan(3 * hits);
  }
});

test('a list of threads or of generations follows its index when PostgreSQL plans it without knowing what is asked for', async () => {
  const statements: { text: string; values: unknown[] }[] = [];
  class RecordingClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: `query` has a dozen forms, and the store uses two.
    override query(given: any, ...others: any[]): any {
      if (given.values?.length > 0) statements.push(given);
      return super.query(given, ...others);
    }
  }
  const pool = new pg.Pool({ connectionString: used.database.url, max: 4, Client: RecordingClient });
  onTestFinished(() => pool.end());
  const store = await postgresStore(pool, { project: used.newProject() });
  onTestFinished(() => store.close());
  const client = new pg.Client({ connectionString: used.database.url });
  onTestFinished(() => client.end());
  await client.connect();
  await client.query('set plan_cache_mode = force_generic_plan; set enable_sort = off; set enable_bitmapscan = off');
  const indexOf = async (list: () => Promise<unknown>, name: string) => {
    statements.length = 0;
    await list();
    const [{ text, values } = { text: '', values: [] }] = statements.slice(-1);
    await client.query(`prepare ${name} as ${text}`);
    const given = values.map((value) => (typeof value === 'string' ? pg.escapeLiteral(value) : String(value)));
    const { rows } = await client.query(`explain (format json) execute ${name} (${given.join()})`);
    return /"Index Name":"(\w+)"/.exec(JSON.stringify(rows))?.[1];
  };
  expect(await indexOf(() => store.refs({ on: 'thread', names: ['touched'] }), 'threads')).toBe('skein_ref_name');
  expect(await indexOf(() => store.entries('generation'), 'generations')).toBe(
    'skein_entry_rest_project_kind_order_id_idx',
  );
});

test('entries that are looked up at once are read together, and each look-up gets its own', async () => {
  const statements: string[] = [];
  class CountingClient extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: `query` has a dozen forms, and the store uses two.
    override query(given: any, ...others: any[]): any {
      statements.push(typeof given === 'string' ? given : given.text);
      return super.query(given, ...others);
    }
  }
  const pool = new pg.Pool({ connectionString: used.database.url, max: 4, Client: CountingClient });
  onTestFinished(() => pool.end());
  const store = await postgresStore(pool, { project: used.newProject() });
  onTestFinished(() => store.close());
  const odd = 'a\u0000\ud800"%';
  await store.append([
    ...Array.from({ length: 1200 }, (_, at) => makeEntry(`e${at}`)),
    makeEntry(odd),
    makeEntry('e1', { k: 'generation', data: { is: 'of another kind' } }),
  ]);
  statements.length = 0;
  const ids = [...Array.from({ length: 1210 }, (_, at) => `e${at}`), 'e3', odd];
  const [found, other] = await Promise.all([
    Promise.all(ids.map((id) => store.entry('event', id))),
    store.entry('generation', 'e1'),
  ]);
  expect(found.map((entry) => entry?.id)).toEqual(ids.map((id) => (/^e12\d\d$/.test(id) ? undefined : id)));
  expect(other?.data).toEqual({ is: 'of another kind' });
  expect(statements.filter((text) => text.includes('skein_entry'))).toHaveLength(4);
});
