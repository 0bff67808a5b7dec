import { postgresStore, StoreError } from '@skein/forest';
import { expect, test } from 'vitest';
import { makeNode, makePath, toRecords } from '../../src/testing/store-samples.ts';
import { useDatabase } from './use-database.ts';

const used = useDatabase();

const failureOf = async (address: string): Promise<StoreError> => {
  const error = await postgresStore(address, { project: 'p' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
};

/** All that a log might print of an error. */
const shown = (error: Error) => [error.message, error.stack, JSON.stringify(error), String(error.cause ?? '')].join();

test('an error says what to do and never has the password', async () => {
  const secret = 's3cr&t/word';
  const with_ = (change: Partial<URL>) =>
    Object.assign(new URL(used.database.url), { password: encodeURIComponent(secret), ...change }).href;
  const failures: [string, string, RegExp][] = [
    [with_({}), 'store_refused', /password was refused/],
    [with_({ port: '1' }), 'store_unreachable', /Check that it runs/],
    [with_({ hostname: 'nowhere.invalid' }), 'store_unreachable', /Check that it runs/],
    [Object.assign(new URL(used.database.url), { pathname: '/none' }).href, 'store_refused', /no such database/],
    [`postgres://u:${secret}@[/x`, 'store_name', /Write it as/],
  ];
  for (const [address, code, words] of failures) {
    const error = await failureOf(address);
    expect(error).toMatchObject({ code, message: expect.stringMatching(words) });
    for (const hidden of [secret, encodeURIComponent(secret), /only-for-tests/.source])
      expect(shown(error)).not.toContain(hidden);
  }
});

/** Does it again until it reaches the server: each connection that was killed may fail once. */
async function reaching<T>(doing: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await doing();
    } catch (error) {
      expect(error).toMatchObject({ code: 'store_unreachable' });
    }
  }
}

test('a store outlives its connections: what failed can be repeated', async () => {
  const store = await used.open();
  const kill = () =>
    used.database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'skein' and datname = current_database()",
    );
  const path = makePath(Array.from({ length: 60 }, (_, at) => `m${at}`));
  for (const [at, made] of path.entries()) {
    const killing = at % 10 === 5 ? kill() : undefined;
    await reaching(() => store.append(toRecords([made])));
    await killing;
  }
  await kill();
  const ids = path.map(({ node }) => node.id);
  expect(await reaching(() => store.deepest(ids))).toBe(59);
  expect((await reaching(() => store.path(ids[59]!))).map(({ id }) => id)).toEqual(ids);
});

test('a killed backend ends no process, also between a statement and the next', async () => {
  const store = await used.open();
  const long = makePath(Array.from({ length: 6000 }, (_, at) => `long ${at}`));
  const writing = store.append(toRecords(long)).then(
    () => 'written',
    (error: unknown) => error,
  );
  await new Promise((resolve) => setTimeout(resolve, 300));
  await used.database.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'skein' and datname = current_database()",
  );
  const result = await writing;
  const there = await reaching(() => store.childCounts([long[0]!.node.parent]));
  // All of it or nothing.
  if (result === 'written') expect(there).toEqual([1]);
  else {
    expect(result).toMatchObject({ code: 'store_unreachable' });
    expect(there).toEqual([0]);
    await reaching(() => store.append(toRecords(long)));
  }
  expect((await reaching(() => store.path(long.at(-1)!.node.id))).length).toBe(6000);
});

test('a closed store says so', async () => {
  const store = await used.open();
  await store.close();
  await store.close();
  await expect(store.append(toRecords([makeNode('late')]))).rejects.toMatchObject({ code: 'store_closed' });
  await expect(store.scan()).rejects.toMatchObject({ code: 'store_closed' });
});

test('a cursor that is not one is an error with a name', async () => {
  const store = await used.open();
  for (const after of ['', 'x', '{}', '[1]', '[null,1]'])
    await expect(store.entries('event', { after })).rejects.toMatchObject({ code: 'store_cursor' });
});
