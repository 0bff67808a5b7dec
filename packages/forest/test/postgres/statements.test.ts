/** The statements that a store sends, compared with the page on distributed engines. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { createForest, createRecorder, postgresStore, type Store } from '@skein/forest';
import { storeConformance } from '@skein/forest/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePath, toRecords } from '../../src/testing/store-samples.ts';
import { createDatabase, type Database } from './database.ts';

const page = readFileSync(new URL('../../../../docs/distributed-postgres.md', import.meta.url), 'utf8');

/** Methods that look after a store. All others are on the hot path. */
const BESIDE = ['check', 'compact', 'close', 'months', 'open'];

/** A notification is sent some time after an append; the settings only to an engine that has them. */
const NOT_HOT = /pg_notify|enable_bitmapscan/;

const method = new AsyncLocalStorage<string>();
const sent = new Map<string, Set<string>>();

class RecordingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: `query` has a dozen forms, and the store uses two.
  override query(given: any, ...others: any[]): any {
    const text: string = typeof given === 'string' ? given : given.text;
    const by = NOT_HOT.test(text) ? 'background' : (method.getStore() ?? 'background');
    sent.set(by, (sent.get(by) ?? new Set()).add(text));
    return super.query(given, ...others);
  }
}

/** The same store, whose statements are recorded under the name of the method that sent them. */
function named(store: Store): Store {
  // biome-ignore lint/suspicious/noExplicitAny: methods and groups of methods alike.
  const wrap = (part: any, name?: string): any =>
    Object.fromEntries(
      Object.entries(part).map(([key, value]) => {
        if (typeof value === 'object' && value !== null) return [key, wrap(value, key)];
        if (typeof value !== 'function') return [key, value];
        return [key, (...args: unknown[]) => method.run(name ?? key, () => value(...args))];
      }),
    );
  return wrap(store);
}

let database: Database;
let pool: pg.Pool;
const open = async (project: string) => named(await method.run('open', () => postgresStore(pool, { project })));

beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 20, Client: RecordingClient });
  pool.on('error', () => undefined);
  let projects = 0;
  const cases = storeConformance('recorded', async () => {
    const project = `case ${projects++}`;
    return { store: await open(project), again: () => open(project) };
  });
  for (const { name, run } of cases) if (!name.includes('10,000')) await run();
  const store = await open('recorded');
  const recorder = createRecorder(createForest(store));
  recorder.begin({ method: 'GET', url: 'https://api.openai.com/v1/models', headers: [] }).end('done');
  await recorder.settled();
  await store.facts!.write(undefined, { version: '1', state: '' }, new Map([['a', 'b']]));
  await store.facts!.read(['a']);
  await store.facts!.write('1', { version: '2', state: '' }, new Map([['a', undefined]]));
  // Long enough for an ancestor page.
  await store.append(toRecords(makePath(Array.from({ length: 70 }, (_, at) => `m${at}`))));
  await store.months!.create();
  await store.close();
}, 120_000);

afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Functions, types and clauses of statements. */
function features(statements: Iterable<string>): { functions: string[]; types: string[]; clauses: string[] } {
  const [functions, types, clauses] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const statement of statements) {
    const plain = statement
      .toLowerCase()
      .replaceAll(/'[^']*'/g, "''")
      .replaceAll(/"[^"]*"/g, 'x');
    // A function is written without a space before its parenthesis, and everything else with one.
    for (const [, name] of plain.matchAll(/\b([a-z_][a-z0-9_]*)\(/g)) functions.add(name!);
    for (const [, name] of plain.matchAll(/::\s*([a-z0-9_]+(?:\[\])?)/g)) types.add(name!);
    for (const clause of CLAUSES) if (new RegExp(`\\b${clause}\\b`).test(plain)) clauses.add(clause);
    clauses.add(/^\W*(\w+)/.exec(plain)?.[1] ?? '');
  }
  const listed = (names: Set<string>) => [...names].sort();
  return { functions: listed(functions), types: listed(types), clauses: listed(clauses) };
}

const CLAUSES = [
  'collate',
  'for update',
  'lateral',
  'materialized',
  'on conflict',
  'recursive',
  'returning',
  'skip locked',
  'temporary',
  'union all',
  'with ordinality',
];

const statementsOf = (isWanted: (name: string) => boolean) =>
  [...sent].filter(([name]) => isWanted(name)).flatMap(([, texts]) => [...texts]);

/** The words in backticks of a line that begins with a name. */
function listedOn(name: string): string[] {
  const line = page.split('\n').find((one) => one.startsWith(`| ${name} |`)) ?? '';
  return [...line.matchAll(/`([^`]+)`/g)].map(([, word]) => word!).sort();
}

test('the page lists every function, type and clause of the hot path, and nothing else', () => {
  const isHot = (name: string) => !BESIDE.includes(name) && name !== 'background';
  const hot = features(statementsOf(isHot));
  expect({
    functions: listedOn('functions'),
    types: listedOn('types'),
    clauses: listedOn('clauses'),
  }).toEqual(hot);
});

test('what runs beside the hot path and not on it is on the page', () => {
  const beside = features(statementsOf((name) => BESIDE.includes(name) || name === 'background'));
  const known = new Set(['functions', 'types', 'clauses'].flatMap(listedOn));
  const besidePart = page.slice(page.indexOf('## Beside it'));
  const missing = [...beside.functions, ...beside.types, ...beside.clauses].filter(
    (name) =>
      !known.has(name) && !new RegExp(`\`[^\`]*\\b${name.replaceAll(/[[\]]/g, '')}\\b[^\`]*\``).test(besidePart),
  );
  expect(missing).toEqual([]);
});

test('an empty database is opened without transaction numbers, which CockroachDB does not have', () => {
  const opening = statementsOf((name) => name === 'open');
  expect(opening.some((text) => text.includes('create table skein_node'))).toBe(true);
  expect(opening.filter((text) => /xid8|pg_current_xact_id/.test(text))).toEqual([]);
});
