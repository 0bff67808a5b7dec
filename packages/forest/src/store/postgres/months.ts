import { type Kysely, sql } from 'kysely';
import { sha256 } from '../../model/ids.ts';
import type { MonthPartitions } from '../store.ts';
import type { PostgresContext } from './context.ts';

/**
 * Recorded exchanges in a partition for each month, per project. The id of an exchange begins with the time at which it
 * began, so the id decides the partition, and a month is forgotten by dropping a table.
 */
export function monthPartitions(context: PostgresContext): MonthPartitions {
  const { db, own } = context;
  const table = tableName(context);
  return {
    async create() {
      await inLock(db, async (transaction) => {
        if (!(await exists(transaction, table))) await splitOff(transaction, context);
        await addMonths(transaction, table, Date.now(), Date.now());
      });
    },
    async drop(before) {
      const dropped: string[] = [];
      await inLock(db, async (transaction) => {
        if (!(await exists(transaction, table))) return;
        for (const { name, month } of await readMonths(transaction, table)) {
          if (monthStart(month, 1) > before) continue;
          await sql`drop table ${sql.table(name)}`.execute(transaction);
          dropped.push(`${month.slice(0, 4)}-${month.slice(4)}`);
        }
        if (dropped.length === 0) return;
        const bound = idAt(monthStart(dropped.at(-1)!.replace('-', ''), 1));
        // Where those exchanges were placed; the conversations stay.
        await sql`delete from skein_ref
          where project = ${own} and "on" = 'forest' and name = 'landed' and key < ${bound}`.execute(transaction);
      });
      return dropped;
    },
  };
}

/** Makes the partitions of this month and the next ones, if the project has months. Without the right to do so, rows go to the rest. */
export async function extendMonths(context: PostgresContext): Promise<void> {
  const table = tableName(context);
  const { db } = context;
  const now = Date.now();
  const names = monthsBetween(now, now).map((month) => `${table}_${month}`);
  const { rows } = await sql<{ has: boolean; complete: boolean }>`
    select to_regclass(${table}) is not null as has,
      (select bool_and(to_regclass(name) is not null) from unnest(${names}::text[]) as name) as complete`.execute(db);
  if (!rows[0]?.has || rows[0].complete) return;
  await inLock(db, (transaction) => addMonths(transaction, table, now, now)).catch(() => undefined);
}

/** Turns the table of entries into one with partitions: exchanges by project, everything else in what was the table. */
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
    `create table skein_entry (like skein_entry_rest including defaults) partition by list (kind)`,
    `alter table skein_entry add primary key (project, kind, id)`,
    `create index skein_entry_of on skein_entry (project, kind, "of", "order", id)`,
    `create index skein_entry_order on skein_entry (project, kind, "order", id)`,
    `create index skein_entry_xid on skein_entry (project, xid)`,
    `create table skein_exchange partition of skein_entry for values in ('exchange') partition by list (project)`,
    `create table skein_exchange_rest partition of skein_exchange default`,
    `insert into skein_exchange_rest select * from skein_entry_rest where kind = 'exchange'`,
    `delete from skein_entry_rest where kind = 'exchange'`,
    `alter table skein_entry attach partition skein_entry_rest default`,
    ...['skein_entry', 'skein_exchange', 'skein_exchange_rest'].map(withoutStatistics),
  ])
    await sql.raw(statement).execute(db);
}

/** Gives the exchanges of a project a table of their own, with a partition for each month from the first to the last. */
async function splitOff(db: Tables, context: PostgresContext): Promise<void> {
  const { own } = context;
  const table = tableName(context);
  await sql`
    create temporary table skein_moving on commit drop as
    select * from skein_exchange_rest where project = ${sql.lit(own)}`.execute(db);
  await sql`delete from skein_exchange_rest where project = ${own}`.execute(db);
  await sql`
    create table ${sql.table(table)} partition of skein_exchange for values in (${sql.lit(own)})
    partition by range (id)`.execute(db);
  await sql`create table ${sql.table(`${table}_rest`)} partition of ${sql.table(table)} default`.execute(db);
  await sql.raw(withoutStatistics(`${table}_rest`)).execute(db);
  const { rows } = await sql<{ first: string | null; last: string | null }>`
    select min(id) as first, max(id) as last from skein_moving where id ~ '^[0-9a-z]{9}[.]'`.execute(db);
  const { first, last } = rows[0] ?? {};
  if (first && last) await addMonths(db, table, timeOf(first), timeOf(last));
  await sql`insert into ${sql.table(table)} select * from skein_moving`.execute(db);
}

type Tables = PostgresContext['db'];

/** How many months are made ahead. */
const AHEAD = 2;

async function addMonths(db: Tables, table: string, from: number, to: number): Promise<void> {
  for (const month of monthsBetween(from, to)) {
    const name = `${table}_${month}`;
    if (await exists(db, name)) continue;
    await sql`
      create table ${sql.table(name)} partition of ${sql.table(table)}
      for values from (${sql.lit(idAt(monthStart(month)))}) to (${sql.lit(idAt(monthStart(month, 1)))})`.execute(db);
    await sql.raw(withoutStatistics(name)).execute(db);
  }
}

/** The months from one time to another, and those that are made ahead, as `202611`. */
function monthsBetween(from: number, to: number): string[] {
  const months: string[] = [];
  const end = monthStart(monthName(to), AHEAD);
  for (let at = monthName(from); monthStart(at) <= end; at = monthName(monthStart(at, 1))) months.push(at);
  return months;
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

function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 9), 36);
}

function tableName({ project }: PostgresContext): string {
  return `skein_exchange_${sha256(project).slice(0, 12)}`;
}

function withoutStatistics(table: string): string {
  return `alter table ${table} alter column project set statistics 0`;
}

/** Read as a row: a connection may remember for a moment that there is no table of that name. */
async function exists(db: Tables, table: string): Promise<boolean> {
  const { rows } = await sql`
    select from pg_class where relname = ${table} and relnamespace = current_schema()::regnamespace`.execute(db);
  return rows.length > 0;
}

/** The months of a table, oldest first. */
async function readMonths(db: Tables, table: string): Promise<{ name: string; month: string }[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = to_regclass(${table}) and child.relname ~ '_[0-9]{6}$' order by 1`.execute(db);
  return rows.map(({ name }) => ({ name, month: name.slice(-6) }));
}

/** One process at a time changes the partitions. */
function inLock(db: Tables, work: (transaction: Tables) => Promise<void>): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('skein partitions'))`.execute(transaction);
    await work(transaction);
  });
}
