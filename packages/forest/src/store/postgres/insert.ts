import { type RawBuilder, sql } from 'kysely';

/** A column and its type in PostgreSQL. */
export type Columns<Row> = {
  readonly [Name in keyof Row & string]: 'text' | 'integer' | 'float8' | 'boolean' | 'tsvector';
};

/**
 * One `insert` of all rows, each column as one array: the statement's text is the same for any number of rows, so it
 * is prepared once. Returns a row per row written.
 */
export function insertRows<Row>(
  table: string,
  columns: Columns<Row>,
  rows: readonly Row[],
  onConflict: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const names = Object.keys(columns) as (keyof Row & string)[];
  const arrays = names.map((name) => {
    const type = columns[name] === 'tsvector' ? 'text' : columns[name];
    return sql`${rows.map((row) => row[name])}::${sql.raw(type)}[]`;
  });
  const picked = names.map((name) => sql`given.${sql.ref(name)}::${sql.raw(columns[name])}`);
  const listed = sql.join(names.map((name) => sql.ref(name)));
  return sql`insert into ${sql.table(table)} (${listed})
    select ${sql.join(picked)} from unnest(${sql.join(arrays)}) as given (${listed})
    ${onConflict} returning 1`;
}

/** Nodes, bodies and takes are named by their content: what is there is the same. */
export const keepThere = sql`on conflict do nothing`;

/** Of two with the same key the later counts, whoever comes first: decided where the row is locked. */
export function keepLater(table: string, key: readonly string[], values: readonly string[]): RawBuilder<unknown> {
  const set = [...values, 'clock', 'seq', 'xid'].map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`);
  return sql`on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do update set ${sql.join(set)}
    where ${sql.table(table)}.clock < excluded.clock`;
}
