import { randomUUID } from 'node:crypto';
import { isSkeinError } from '@skein/core';
import { type AliasedRawBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import pg, { type ClientConfig, type Pool } from 'pg';
import { ROOT } from '../../model/ids.ts';
import type { StoreRecord } from '../../model/records.ts';
import type { PostgresOptions } from '../open-stores.ts';
import { hashFault, recordKey } from '../records.ts';
import type { SearchQuery, Store, StoreProblem } from '../store.ts';
import { writePages } from './ancestor-pages.ts';
import { createAppendQueue } from './append-queue.ts';
import { changes, createChangeSignal } from './changes.ts';
import { connect } from './connect.ts';
import { createContext, type PostgresContext, readRows } from './context.ts';
import { clearFacts, factQueries } from './facts.ts';
import { holdLease, leaseTable } from './lease.ts';
import { extendMonths, monthPartitions } from './months.ts';
import { nodeQueries, recordQueries } from './queries.ts';
import {
  BODY_COLUMNS,
  ENTRY_COLUMNS,
  NODE_COLUMNS,
  OTHER_COLUMNS,
  REF_COLUMNS,
  readBody,
  readEntry,
  readNode,
  readOther,
  readRef,
  readTake,
  TAKE_COLUMNS,
} from './rows.ts';
import { migrate, type PostgresTables } from './schema.ts';
import { search } from './search.ts';
import { digitBytes, idBytes, readId } from './values.ts';

const CONNECTIONS = 10;
/** Patroni replaces a dead machine within 50 seconds by its default settings. */
const PATIENCE_MS = 60_000;

export async function open(
  where: string | Pool,
  { project, connections = CONNECTIONS, patience = PATIENCE_MS }: PostgresOptions,
): Promise<Store> {
  const connection = connect(where, connections);
  const writer = `p${randomUUID().slice(0, 8)}`;
  try {
    await migrate(connection.db as Kysely<never>, connection.target);
    const context = await createContext(connection.db, project);
    await extendMonths(context);
    const lease = await holdLease(leaseTable(context), writer);
    const appends = createAppendQueue(context, writer);
    const wake = createChangeSignal(context, () => new pg.Client(connection.pool.options as ClientConfig), writer);
    let closing: Promise<void> | undefined;
    const close = async () => {
      // If the database is gone, the lease expires by itself.
      await Promise.allSettled([wake.end(), lease.end(), appends.end()]);
      await connection.end();
    };
    return {
      writer,
      ...repeatWhileUnreachable(patience, {
        async append(records: readonly StoreRecord[]) {
          if (await appends.append(records)) wake.tell();
        },
        ...nodeQueries(context),
        ...recordQueries(context),
        search: (query: SearchQuery) => search(context, query),
        changes: (after?: string) => changes(context, after),
        isAlive: lease.isAlive,
      }),
      facts: repeatWhileUnreachable(patience, factQueries(context)),
      months: monthPartitions(context),
      watch: wake.watch,
      problems: () => [...context.problems.values()],
      check: () => check(context),
      compact: (keep) => compact(context, keep),
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await connection.end();
    throw error;
  }
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Repeats operations that failed because the database was not there, so that a new primary can take over unnoticed. Each
 * of them may be repeated, even if it was carried out and only its answer was lost.
 */
export function repeatWhileUnreachable<T extends { [Name in keyof T]: (...args: never[]) => Promise<unknown> }>(
  patience: number,
  operations: T,
): T {
  const repeat =
    (operation: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]) => {
      const end = performance.now() + patience;
      for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
        try {
          return await operation(...args);
        } catch (error) {
          // A former primary is a standby for a moment.
          const isGone = isSkeinError(error, 'store_unreachable') || isSkeinError(error, 'store_read_only');
          if (!isGone || performance.now() + pause > end) throw error;
          await new Promise((resolve) => setTimeout(resolve, pause));
        }
      }
    };
  return Object.fromEntries(
    Object.entries<(...args: never[]) => Promise<unknown>>(operations).map(([name, operation]) => [
      name,
      repeat(operation),
    ]),
  ) as T;
}

/** Reads every row, checks every hash, and looks for missing parents and bodies. */
async function check(context: PostgresContext): Promise<StoreProblem[]> {
  const found = { ...context, problems: new Map<string, StoreProblem>() };
  const wrong: StoreProblem[] = [];
  for (const kind of RECORD_TABLES)
    for await (const records of readAll(found, kind))
      wrong.push(...records.flatMap(({ record }) => hashProblem(record)));
  const { db, own } = context;
  const { rows: orphans } = await sql<{ id: string; parent: string }>`
    select encode(id, 'hex') as id, encode(parent, 'hex') as parent from skein_node as node
    where project = ${own} and parent <> ${idBytes(ROOT)}
      and not exists (select from skein_node where project = ${own} and id = node.parent)`.execute(db);
  const { rows: empty } = await sql<{ id: string; body: string }>`
    select encode(id, 'hex') as id, encode(body, 'hex') as body from skein_node as node
    where project = ${own} and not exists (select from skein_body where project = ${own} and digest = node.body)
  `.execute(db);
  return [
    ...found.problems.values(),
    ...wrong,
    ...orphans.map((row) => {
      const [id, parent] = [readId(row.id), readId(row.parent)];
      return problem('missing-parent', id, `The parent ${parent} of node ${id} is missing.`);
    }),
    ...empty.map((row) => {
      const [id, body] = [readId(row.id), readId(row.body)];
      return problem('missing-body', id, `The body ${body} of node ${id} is missing.`);
    }),
  ];
}

function hashProblem(record: StoreRecord): StoreProblem[] {
  const fault = hashFault(record);
  return fault === undefined
    ? []
    : [{ ...problem('wrong-hash', recordKey(record), fault), subject: recordKey(record) }];
}

function problem(code: StoreProblem['code'], where: string, message: string): StoreProblem {
  return { code, where, message };
}

const PAGES_AT_ONCE = 1000;

/**
 * Removes the records that `keep` rejects, in one transaction. Rows that cannot be read are kept. A new era invalidates
 * the cursors of `changes`, which do not see removals.
 */
async function compact(
  context: PostgresContext,
  keep: (record: StoreRecord) => boolean,
): Promise<{ kept: number; removed: number }> {
  const { db, own, project } = context;
  let kept = 0;
  let removed = 0;
  await db.transaction().execute(async (transaction) => {
    for (const kind of RECORD_TABLES) {
      for await (const records of readAll({ ...context, db: transaction }, kind)) {
        const unwanted = records.filter(({ record }) => !keep(record));
        kept += records.length - unwanted.length;
        removed += unwanted.length;
        if (unwanted.length === 0) continue;
        const key = sql.join(kind.key.map((name) => sql.ref(name)));
        const columns = kind.key.map((_, at) => {
          const values = unwanted.map((found) => keyValue(kind, found.key[at]!));
          return sql`${values}::${sql.raw(kind.isBytes ? 'bytea' : 'text')}[]`;
        });
        await sql`
          delete from ${sql.table(kind.table)}
          where project = ${own} and (${key}) in (select * from unnest(${sql.join(columns)}))`.execute(transaction);
      }
    }
    await sql`
      delete from skein_words as words
      where project = ${own} and not exists (select from skein_node where project = ${own} and id = words.id)
    `.execute(transaction);
    // Pages are written again: one may contain a removed node, or be complete only now.
    await sql`delete from skein_page where project = ${own}`.execute(transaction);
    const { rows } = await sql<{ id: string }>`
      select encode(id, 'hex') as id from skein_node where project = ${own} and depth % 64 = 0`.execute(transaction);
    for (let at = 0; at < rows.length; at += PAGES_AT_ONCE)
      await writePages(
        transaction,
        project,
        rows.slice(at, at + PAGES_AT_ONCE).map(({ id }) => readId(id)),
      );
    // Facts may be of records that are gone.
    await clearFacts(transaction, own);
    await sql`
      insert into skein_era (project, era) values (${own}, 1)
      on conflict (project) do update set era = skein_era.era + 1`.execute(transaction);
  });
  for (const table of [...RECORD_TABLES.map((kind) => kind.table), 'skein_words', 'skein_page'])
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
  return { kept, removed };
}

const ROWS_AT_ONCE = 500;

/** A kind of record: its table, its key, its columns, and how a row is read. */
interface RecordTable<T extends StoreRecord = StoreRecord> {
  readonly table: keyof PostgresTables;
  readonly key: readonly string[];
  /** Whether its key is of bytes, which are read as hexadecimal digits. */
  readonly isBytes: boolean;
  readonly columns: readonly (string | AliasedRawBuilder<string, string>)[];
  // biome-ignore lint/suspicious/noExplicitAny: each kind has rows of its own
  readonly read: (row: any) => T;
}

const RECORD_TABLES: readonly RecordTable[] = [
  { table: 'skein_body', key: ['digest'], isBytes: true, columns: BODY_COLUMNS, read: readBody },
  { table: 'skein_node', key: ['id'], isBytes: true, columns: NODE_COLUMNS, read: readNode },
  { table: 'skein_take', key: ['node', 'id'], isBytes: true, columns: TAKE_COLUMNS, read: readTake },
  { table: 'skein_ref', key: ['on', 'key', 'name'], isBytes: false, columns: REF_COLUMNS, read: readRef },
  { table: 'skein_entry', key: ['kind', 'id'], isBytes: false, columns: ENTRY_COLUMNS, read: readEntry },
  { table: 'skein_other', key: ['digest'], isBytes: false, columns: OTHER_COLUMNS, read: readOther },
];

function keyValue({ isBytes }: RecordTable, value: string): string | Buffer {
  return isBytes ? digitBytes(value) : value;
}

/** A record with the key of its row. */
interface StoredRecord {
  readonly record: StoreRecord;
  readonly key: readonly string[];
}

/**
 * Reads all records of a kind, some hundred at a time, in the order of their keys. Rows that cannot be read are
 * reported.
 */
async function* readAll(
  context: Pick<PostgresContext, 'db' | 'own' | 'problems'>,
  kind: RecordTable,
): AsyncGenerator<StoredRecord[]> {
  const { db, own } = context;
  const { table, columns, read } = kind;
  const key = sql.join(kind.key.map((name) => sql.ref(`${table}.${name}`)));
  for (let last: (string | Buffer)[] | undefined; ; ) {
    const beyond: RawBuilder<unknown> = last === undefined ? sql`` : sql`and (${key}) > (${sql.join(last)})`;
    const { rows } = await sql<Record<string, string>>`
      select ${sql.join(columns.map((column) => (typeof column === 'string' ? sql.ref(column) : column)))} from ${sql.table(table)}
      where project = ${own} ${beyond} order by ${key} limit ${ROWS_AT_ONCE}`.execute(db);
    const keyIn = (row: Record<string, string>) => kind.key.map((name) => row[name]!);
    yield readRows(
      context,
      rows,
      (row) => ({ record: read(row), key: keyIn(row) }),
      (row) => `${table} ${keyIn(row).join('/')}`,
    );
    if (rows.length < ROWS_AT_ONCE) return;
    last = keyIn(rows.at(-1)!).map((value) => keyValue(kind, value));
  }
}
