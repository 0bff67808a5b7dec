import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import type { PostgresContext } from './context.ts';
import { leaveLanes, positionRows, readPositions, selectPositions, takeLane } from './lanes.ts';
import { leaseTable } from './lease.ts';

const used = useDatabase();

/** Takes a lane for a writer that lives. */
async function takeAlive(context: PostgresContext, owner: string): Promise<number> {
  await leaseTable(context).beat(owner);
  return (await takeLane(context, owner)).lane;
}

const silence = ({ own }: PostgresContext, writer: string, seconds: number) =>
  used.database.query(
    "update skein_writer set beat = now() - $3 * interval '1 second' where project = $1 and writer = $2",
    [own, writer, seconds],
  );

test('each living writer has a lane of its own, also if several begin at once', async () => {
  const context = await used.openContext();
  const lanes = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => takeAlive(context, owner)));
  expect(lanes.toSorted()).toEqual([1, 2, 3, 4]);
  expect(await takeLane(context, 'e')).toEqual({ lane: 5, owner: 'e' });
});

test('the lane of a writer that left or was silent for 30 seconds is taken by the next, the first one first', async () => {
  const context = await used.openContext();
  for (const owner of ['a', 'b', 'c']) await takeAlive(context, owner);
  await silence(context, 'b', 31);
  await silence(context, 'c', 15);
  expect(await takeAlive(context, 'd')).toBe(2);
  await leaveLanes(context, 'c');
  await leaveLanes(context, 'a');
  expect(await takeAlive(context, 'e')).toBe(1);
  expect(await takeAlive(context, 'f')).toBe(3);
  expect(await takeAlive(context, 'g')).toBe(4);
  await leaveLanes({ ...context, own: 'another project' }, 'g');
  expect(await takeAlive(context, 'h')).toBe(5);
});

test('of two writers that make the same lane, the later one makes the next', async () => {
  const context = await used.openContext();
  await leaseTable(context).beat('first');
  let later: Promise<unknown> | undefined;
  await context.db.transaction().execute(async (transaction) => {
    await sql`insert into skein_lane (project, lane, owner, n) values (${context.own}, 1, 'first', 0)`.execute(
      transaction,
    );
    later = takeLane(context, 'later');
    const waiting = () =>
      used.database.query(`select from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%insert into skein_lane%' and datname = current_database()`);
    await expect.poll(async () => (await waiting()).length).toBe(1);
  });
  expect(await later).toEqual({ lane: 2, owner: 'later' });
});

test('a lane whose last transaction has not ended is passed over', async () => {
  const context = await used.openContext();
  await takeLane(context, 'gone');
  await context.db.transaction().execute(async (transaction) => {
    await sql`update skein_lane set n = n + 1 where project = ${context.own}`.execute(transaction);
    expect((await takeLane(context, 'next')).lane).toBe(2);
  });
});

test('the positions of all lanes are one text, in the order of the lanes', async () => {
  const { db, own } = await used.openContext();
  const read = async () =>
    (await sql<{ text: string }>`select ${selectPositions(own)} as text`.execute(db)).rows[0]!.text;
  expect(await read()).toBe('');
  await sql`insert into skein_lane (project, lane, owner, n) values
    (${own}, 10, '', 7), (${own}, 9, '', 123456789012345678), ('another project', 1, '', 1)`.execute(db);
  expect(await read()).toBe('9:123456789012345678,10:7');
  const { rows } =
    await sql`select lane, n from ${positionRows(readPositions(await read())!)} as seen (lane, n)`.execute(db);
  expect(rows).toEqual([
    { lane: 0, n: '0' },
    { lane: 9, n: '123456789012345678' },
    { lane: 10, n: '7' },
  ]);
});

test('positions are read from that text, and from no other', () => {
  expect(readPositions('')).toEqual(new Map([[0, '0']]));
  const [lane, n] = ['123456789', '123456789012345678'];
  expect(readPositions(`${lane}:${n},1:2,3:4`)).toEqual(
    new Map([
      [0, '0'],
      [123_456_789, n],
      [1, '2'],
      [3, '4'],
    ]),
  );
  expect(readPositions(`1:2,${lane}:${n}`)?.get(123_456_789)).toBe(n);
  const wrong = [
    '1',
    '1:',
    ':1',
    'x',
    '1:x',
    'x1:1',
    '1:1x',
    '1:1,',
    ',1:1',
    '1:1,x',
    '1:1,1:',
    `${lane}0:1`,
    `1:${n}0`,
  ];
  for (const text of [...wrong, `1:1,${lane}0:1`, `1:1,1:${n}0`]) expect(readPositions(text), text).toBe(undefined);
});
