import { EventEmitter } from 'node:events';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StoreError, type StoreErrorCode } from '../store.ts';
import { connect } from './connect.ts';
import { repeatWhileUnreachable } from './open.ts';

/** A pool whose clients answer every statement in this way. */
function makePool(
  options: object,
  answer: (query: { text: string; values: unknown[]; name?: string }) => unknown = () => ({ rows: [] }),
) {
  const pool = Object.assign(new EventEmitter(), { options, connected: 0, released: 0 });
  const clients: EventEmitter[] = [];
  const made = Object.assign(pool, {
    async connect() {
      pool.connected += 1;
      const client = clients[0] ?? new EventEmitter();
      clients[0] = client;
      pool.emit('acquire', client);
      return Object.assign(client, { query: async (query: never) => answer(query), release: () => pool.released++ });
    },
  });
  return { pool: made as unknown as Pool & typeof made, client: () => clients[0]! };
}

const failing = (error: unknown) => () => {
  throw error;
};
const ADDRESS = 'postgres://user:s%26cret@db.example:5432/main';

async function failureOf(pool: Pool): Promise<StoreError> {
  const { db } = connect(pool, 1);
  return sql`select 1`.execute(db).then(
    () => {
      throw new Error('it did not fail');
    },
    (error: StoreError) => error,
  );
}

const UNREACHABLE = 'it cannot be reached, or the connection was lost. Check that it runs, then repeat';
const REFUSED = 'the user or the password was refused. Check the address and pg_hba.conf';
const PERMISSION = 'the user lacks a permission. Allow it to create tables, or make it the owner of the existing ones';
const COLLIDED = 'two writers collided and nothing was written. Repeat the call';

describe('an error of the database says what it is, and what to do:', () => {
  test.each([
    [
      'ERR_INVALID_URL',
      'store_name',
      'the address is invalid. Write it as postgres://user:password@host:5432/database',
    ],
    ['28P01', 'store_refused', REFUSED],
    ['28000', 'store_refused', REFUSED],
    ['3D000', 'store_refused', 'there is no such database. Create it with CREATE DATABASE'],
    ['42501', 'store_refused', PERMISSION],
    ['53100', 'store_full', 'its disk is full. Free some space, then repeat'],
    ['25006', 'store_read_only', 'it is read-only, perhaps a standby. Use the address of the primary'],
    ['40P01', 'store_conflict', COLLIDED],
    ['40001', 'store_conflict', COLLIDED],
    ['08006', 'store_unreachable', UNREACHABLE],
    ['57P01', 'store_unreachable', UNREACHABLE],
    ['53300', 'store_unreachable', UNREACHABLE],
    ...'ECONNREFUSED ECONNRESET ENOTFOUND ETIMEDOUT EPIPE EHOSTUNREACH ENETUNREACH EAI_AGAIN ENOENT'
      .split(' ')
      .map((code): [string, string, string] => [code, 'store_unreachable', UNREACHABLE]),
    ['22P02', 'store_failed', 'it failed'],
    ['x08', 'store_failed', 'it failed'],
    ['x57P', 'store_failed', 'it failed'],
  ])('%s', async (code, expected, advice) => {
    const error = await failureOf(makePool({}, failing(Object.assign(new Error('raw words'), { code }))).pool);
    const raw = code === 'ERR_INVALID_URL' ? '' : ` (${code} raw words)`;
    expect([error.code, error.message]).toEqual([expected, `PostgreSQL at localhost:5432/: ${advice}${raw}`]);
  });

  test.each([
    'Connection terminated',
    'connection timeout',
    'timeout exceeded when trying to connect',
    'Client is not queryable',
  ])('%s', async (message) => {
    const error = await failureOf(makePool({}, failing(new Error(message))).pool);
    expect([error.code, error.message]).toEqual([
      'store_unreachable',
      `PostgreSQL at localhost:5432/: ${UNREACHABLE} (${message})`,
    ]);
  });

  test('whatever was thrown', async () => {
    for (const [thrown, words] of [
      [undefined, 'undefined'],
      ['a text', 'a text'],
      [{ code: 5 }, '[object Object]'],
    ])
      expect((await failureOf(makePool({}, failing(thrown)).pool)).message).toBe(
        `PostgreSQL at localhost:5432/: it failed (${words})`,
      );
    const own = new StoreError('store_full', 'own');
    expect(await failureOf(makePool({}, failing(own)).pool)).toBe(own);
  });

  test.each([
    [{ connectionString: ADDRESS }, 'db.example:5432/main', ['s%26cret', 's&cret']],
    [{ connectionString: 'postgres://u:hidden@[/x' }, 'the given address', ['postgres://u:hidden@[/x']],
    [{ host: 'h', port: 7, database: 'd', password: 'hidden' }, 'h:7/d', ['hidden']],
    [{ password: () => 'hidden' }, 'localhost:5432/', []],
    [{ password: '' }, 'localhost:5432/', []],
  ])('of %j, without the password', async (options, name, secrets) => {
    const { pool } = makePool(options, failing(new Error(`a ${secrets.join(' b ')} c`)));
    const { message } = await failureOf(pool);
    expect(message).toBe(`PostgreSQL at ${name}: it failed (a ${secrets.map(() => '…').join(' b ')} c)`);
  });

  test('also when there is no connection', async () => {
    const pool = makePool({}).pool;
    pool.connect = () => Promise.reject(Object.assign(new Error('raw'), { code: 'ECONNREFUSED' })) as never;
    expect((await failureOf(pool)).code).toBe('store_unreachable');
  });
});

test('a pool that was made for an address is closed with its store', async () => {
  const { pool, target, end } = connect(ADDRESS, 7);
  expect(pool.options).toMatchObject({
    ...{ connectionString: ADDRESS, max: 7, connectionTimeoutMillis: 10_000, application_name: 'skein' },
  });
  expect(target.name).toBe('db.example:5432/main');
  await end();
  expect(pool.ended).toBe(true);
});

describe('a pool that was given', () => {
  test('is not closed, and hears of broken connections without an end of the process while a store uses it', async () => {
    const { pool, client } = makePool({});
    const [one, two] = [connect(pool, 1), connect(pool, 1)];
    expect([one.pool === pool, pool.listenerCount('error'), pool.listenerCount('acquire')]).toEqual([true, 1, 1]);
    for (let times = 0; times < 3; times++) await sql`select 1`.execute(one.db);
    expect([client().listenerCount('error'), pool.connected, pool.released]).toEqual([1, 3, 3]);
    expect(() => client().emit('error', new Error('broken'))).not.toThrow();
    expect(() => pool.emit('error', new Error('broken'))).not.toThrow();
    await one.end();
    await one.end();
    expect(pool.listenerCount('error')).toBe(1);
    await two.end();
    expect([pool.listenerCount('error'), pool.listenerCount('acquire')]).toEqual([0, 0]);
    const third = connect(pool, 1);
    expect(pool.listenerCount('error')).toBe(1);
    await third.end();
    await expect(sql`select 1`.execute(one.db)).rejects.toMatchObject({
      code: 'store_closed',
      message: 'This store was closed. Open it again',
    });
  });

  test('prepares statements with parameters, once for each text, and no others', async () => {
    const names: (string | undefined)[] = [];
    const given: unknown[] = [];
    const { pool } = makePool({}, (query) => {
      names.push(query.name);
      given.push(query.values);
      return { rows: [] };
    });
    const { db, end } = connect(pool, 1);
    await sql`select ${1}`.execute(db);
    await sql`select ${2}`.execute(db);
    await sql`select ${1}, ${2}`.execute(db);
    await sql`select 1`.execute(db);
    expect(names.map((name) => name && /^skein_[0-9a-f]{32}$/.test(name))).toEqual([true, true, true, undefined]);
    expect([names[0] === names[1], names[0] === names[2]]).toEqual([true, false]);
    expect(given).toEqual([[1], [2], [1, 2], []]);
    await end();
  });
});

describe('what failed because the database was away', () => {
  /** When each try was made, in milliseconds after the first. */
  async function triesOf(patience: number, code: StoreErrorCode): Promise<number[]> {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const began = performance.now();
    const tries: number[] = [];
    const { ask } = repeatWhileUnreachable(patience, {
      async ask() {
        tries.push(performance.now() - began);
        throw new StoreError(code, 'away');
      },
    });
    const answer = ask().catch((error: unknown) => error);
    await vi.runAllTimersAsync();
    expect(await answer).toMatchObject({ code });
    return tries;
  }

  test.each(['store_unreachable', 'store_read_only'] as const)(
    '(%s) is repeated as long as patience lasts',
    async (code) => {
      expect(await triesOf(4550, code)).toEqual([0, 50, 150, 350, 750, 1550, 2550, 3550, 4550]);
      expect(await triesOf(49, code)).toEqual([0]);
      expect(await triesOf(50, code)).toEqual([0, 50]);
    },
  );

  test('gives its answer when it is back, and other failures are told at once', async () => {
    expect(await triesOf(10_000, 'store_full')).toEqual([0]);
    let tries = 0;
    const { ask } = repeatWhileUnreachable(10_000, {
      async ask(name: string) {
        if (++tries === 1) throw new StoreError('store_unreachable', 'away');
        return `${name} after ${tries}`;
      },
    });
    const answer = ask('an answer');
    await vi.runAllTimersAsync();
    expect(await answer).toBe('an answer after 2');
  });
});
