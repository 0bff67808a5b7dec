import { type RawBuilder, sql } from 'kysely';
import type { StoreRecord } from '../../model/index.ts';
import { ENTRY_COLUMNS, NODE_COLUMNS, OTHER_COLUMNS, REF_COLUMNS, TAKE_COLUMNS } from './columns.ts';
import { type Context, readRows } from './context.ts';
import { readBody, readEntry, readNode, readOther, readRef, readTake } from './rows.ts';
import type { Tables } from './schema.ts';

const ROWS_AT_ONCE = 500;

/** A kind of record, its table, what its rows are known by, and how they are read. */
export interface Kind<T extends StoreRecord = StoreRecord> {
  readonly table: keyof Tables;
  readonly key: readonly string[];
  readonly columns: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: each kind has rows of its own
  readonly read: (row: any) => T;
}

export const KINDS: readonly Kind[] = [
  { table: 'skein_body', key: ['digest'], columns: ['digest', 'text'], read: readBody },
  { table: 'skein_node', key: ['id'], columns: NODE_COLUMNS, read: readNode },
  { table: 'skein_take', key: ['node', 'id'], columns: TAKE_COLUMNS, read: readTake },
  { table: 'skein_ref', key: ['on', 'key', 'name'], columns: REF_COLUMNS, read: readRef },
  { table: 'skein_entry', key: ['kind', 'id'], columns: ENTRY_COLUMNS, read: readEntry },
  { table: 'skein_other', key: ['digest'], columns: OTHER_COLUMNS, read: readOther },
];

/** A record with the values its row is known by. */
export interface Found {
  readonly record: StoreRecord;
  readonly key: readonly string[];
}

/** Every record of a kind, some hundred at a time, in the order of the keys. Rows that cannot be read are reported. */
export async function* allOf(context: Pick<Context, 'db' | 'own' | 'problems'>, kind: Kind): AsyncGenerator<Found[]> {
  const { db, own } = context;
  const { table, columns, read } = kind;
  const key = sql.join(kind.key.map((name) => sql.ref(name)));
  for (let last: string[] | undefined; ; ) {
    const beyond: RawBuilder<unknown> = last === undefined ? sql`` : sql`and (${key}) > (${sql.join(last)})`;
    const { rows } = await sql<Record<string, string>>`
      select ${sql.join(columns.map((name) => sql.ref(name)))} from ${sql.table(table)}
      where project = ${own} ${beyond} order by ${key} limit ${ROWS_AT_ONCE}`.execute(db);
    const keyIn = (row: Record<string, string>) => kind.key.map((name) => row[name]!);
    yield readRows(
      context,
      rows,
      (row) => ({ record: read(row), key: keyIn(row) }),
      (row) => `${table} ${keyIn(row).join('/')}`,
    );
    if (rows.length < ROWS_AT_ONCE) return;
    last = keyIn(rows.at(-1)!);
  }
}
