import { type Kysely, type RawBuilder, sql } from 'kysely';
import { sha256 } from '../../model/ids.ts';
import type { MonthPartitions } from '../store.ts';
import type { PostgresContext } from './context.ts';

/**
 * Recorded exchanges in a partition for each project and month. The id of an exchange begins with the time at which it
 * began, so the project and the id decide the partition, and a month is forgotten by dropping a table. There is one level
 * of partitions: distributed engines take no more.
 */
export function monthPartitions(context: PostgresContext): MonthPartitions {
  const { db, own } = context;
  return {
    async create() {
      await inLock(db, (transaction) => splitOff(transaction, context));
    },
    async drop(before) {
      const dropped: string[] = [];
      await inLock(db, async (transaction) => {
        for (const month of await readMonths(transaction, context)) {
          if (monthStart(month, 1) > before) continue;
          await sql`drop table ${sql.table(tableName(context, month))}`.execute(transaction);
          dropped.push(month);
        }
        if (dropped.length === 0) return;
        const bound = idAt(monthStart(dropped.at(-1)!, 1));
        // Where those exchanges were placed; the conversations stay.
        await sql`delete from skein_ref
          where project = ${own} and "on" = 'forest' and name = 'landed' and key < ${bound}`.execute(transaction);
      });
      return dropped.map((month) => `${month.slice(0, 4)}-${month.slice(4)}`);
    },
  };
}

/** Makes the partitions of the next months, if the project has any. Without the right to do so, rows go to the rest. */
export async function extendMonths(context: PostgresContext): Promise<void> {
  const { db } = context;
  const months = await readMonths(db, context);
  const wanted = comingMonths();
  if (months.length === 0 || wanted.every((month) => months.includes(month))) return;
  await inLock(db, (transaction) => addMonths(transaction, context, wanted)).catch(() => undefined);
}

/** Turns the table of entries into one with partitions. What was the table holds everything that has no other partition. */
export async function partitionEntries(db: Kysely<never>): Promise<void> {
  const indexes = await sql<{ name: string }>`
    select indexname as name from pg_indexes where tablename = 'skein_entry' and schemaname = current_schema()`.execute(
    db,
  );
  await sql`alter table skein_entry rename to skein_entry_rest`.execute(db);
  for (const { name } of indexes.rows)
    await sql`alter index ${sql.ref(name)} rename to ${sql.ref(name.replace('skein_entry', 'skein_entry_rest'))}`.execute(
      db,
    );
  for (const statement of [
    `create table skein_entry (like skein_entry_rest including defaults) partition by range (project, kind, id)`,
    `alter table skein_entry add primary key (project, kind, id)`,
    `create index skein_entry_of on skein_entry (project, kind, "of", "order", id)`,
    `create index skein_entry_order on skein_entry (project, kind, "order", id)`,
    `alter table skein_entry attach partition skein_entry_rest default`,
    withoutStatistics('skein_entry'),
  ])
    await sql.raw(statement).execute(db);
}

/**
 * Moves the exchanges of a project from the rest to partitions of their months, and makes those of the next months. What began
 * later, by a clock that is ahead or an id that names no time, stays with the rest until its month is one of these.
 */
async function splitOff(db: Tables, context: PostgresContext): Promise<void> {
  const coming = comingMonths();
  const end = monthStart(coming.at(-1)!, 1);
  const there = await readMonths(db, context);
  const first = await findInRest(db, context, 0, end);
  if (first === undefined && coming.every((month) => there.includes(month))) return;
  // What is written between copying and deleting would be gone.
  await sql`lock table skein_entry in access exclusive mode`.execute(db);
  const months = new Set(coming);
  for (let from = 0; ; ) {
    const id = await findInRest(db, context, from, end);
    if (id === undefined) break;
    const month = monthName(timeOf(id));
    months.add(month);
    from = monthStart(month, 1);
  }
  const range = between(context, 0, end);
  await sql`create temporary table skein_moving on commit drop as select * from skein_entry_rest where ${range}`.execute(
    db,
  );
  await sql`delete from skein_entry_rest where ${range}`.execute(db);
  await addMonths(db, context, [...months]);
  await sql`insert into skein_entry select * from skein_moving`.execute(db);
}

/** The first exchange in the rest whose id begins with a time that is in these bounds. The key gives it: the others are not read. */
async function findInRest(db: Tables, context: PostgresContext, from: number, to: number): Promise<string | undefined> {
  const { rows } = await sql<{ id: string | null }>`
    select min(id) as id from skein_entry_rest
    where ${between(context, from, to)} and id ~ '^[0-9a-z]{9}[.]'`.execute(db);
  return rows[0]!.id ?? undefined;
}

function between({ own }: PostgresContext, from: number, to: number): RawBuilder<boolean> {
  return sql`project = ${sql.lit(own)} and kind = 'exchange' and id >= ${sql.lit(idAt(from))} and id < ${sql.lit(idAt(to))}`;
}

type Tables = PostgresContext['db'];

/** How many months are made ahead. */
const AHEAD = 2;

async function addMonths(db: Tables, context: PostgresContext, months: readonly string[]): Promise<void> {
  const there = await readMonths(db, context);
  for (const month of months) {
    if (there.includes(month)) continue;
    const name = tableName(context, month);
    const bound = (later: number) => {
      const id = idAt(monthStart(month, later));
      return sql`(${sql.lit(context.own)}, 'exchange', ${sql.lit(id)})`;
    };
    await sql`
      create table ${sql.table(name)} partition of skein_entry
      for values from ${bound(0)} to ${bound(1)}`.execute(db);
    await sql.raw(withoutStatistics(name)).execute(db);
  }
}

/** This month and those that are made ahead, as `202611`. */
function comingMonths(): string[] {
  const month = monthName(Date.now());
  return Array.from({ length: 1 + AHEAD }, (_, later) => monthName(monthStart(month, later)));
}

function monthName(time: number): string {
  return new Date(time).toISOString().slice(0, 7).replace('-', '');
}

function monthStart(month: string, later = 0): number {
  return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)) - 1 + later);
}

/** An id that sorts before those of all exchanges from a time on: they begin with nine digits of base 36. */
function idAt(time: number): string {
  return time.toString(36).padStart(9, '0');
}

/** The digits end at the dot. */
function timeOf(id: string): number {
  return Number.parseInt(id, 36);
}

function tableName({ project }: PostgresContext, month: string): string {
  return `skein_exchange_${sha256(project).slice(0, 12)}_${month}`;
}

function withoutStatistics(table: string): string {
  return `alter table ${table} alter column project set statistics 0`;
}

/** The months of a project, oldest first. */
async function readMonths(db: Tables, context: PostgresContext): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relname like ${`${tableName(context, '').replaceAll('_', String.raw`\_`)}%`} and relkind = 'r'
      and relnamespace = current_schema()::regnamespace
    order by 1`.execute(db);
  return rows.map(({ name }) => name.slice(-6));
}

/** One process at a time changes the partitions. */
function inLock(db: Tables, work: (transaction: Tables) => Promise<void>): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('skein partitions'))`.execute(transaction);
    await work(transaction);
  });
}
