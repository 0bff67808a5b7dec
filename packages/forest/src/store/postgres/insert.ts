import { type Kysely, type RawBuilder, sql } from 'kysely';

/** A column and its type in PostgreSQL. */
export type Columns<Row> = {
  readonly [Name in keyof Row & string]: 'text' | 'integer' | 'float8' | 'boolean' | 'tsvector';
};

/**
 * One `insert` of any number of rows: each column is one array, so the text is always the same and is prepared once.
 * Returns a row per row written.
 */
export function insertInto<Row>(table: string, columns: Columns<Row>, onConflict: RawBuilder<unknown>): Insert<Row> {
  const names = Object.keys(columns) as (keyof Row & string)[];
  const arrays = names.map((name) => sql`${[]}::${sql.raw(columns[name] === 'tsvector' ? 'text' : columns[name])}[]`);
  const picked = names.map((name) => sql`given.${sql.ref(name)}::${sql.raw(columns[name])}`);
  const listed = sql.join(names.map((name) => sql.ref(name)));
  return {
    name: `new_${table}`,
    statement: sql`insert into ${sql.table(table)} (${listed})
      select ${sql.join(picked)} from unnest(${sql.join(arrays)}) as given (${listed})
      ${onConflict} returning 1`,
    parameters: (rows) => names.map((name) => rows.map((row) => row[name])),
  };
}

export interface Insert<Row> {
  readonly name: string;
  readonly statement: RawBuilder<unknown>;
  /** In the order in which the statement asks for them. */
  parameters(rows: readonly Row[]): unknown[][];
}

const texts = new Map<string, string>();

/** Several inserts in one statement, which counts the rows they wrote; making its text anew would cost more than sending it. */
export function insertsText(db: Kysely<never>, inserts: readonly Pick<Insert<never>, 'name' | 'statement'>[]): string {
  const key = inserts.map(({ name }) => name).join();
  let text = texts.get(key);
  if (text === undefined) {
    const steps = inserts.map(({ name, statement }) => sql`${sql.ref(name)} as (${statement})`);
    // Asked for one after the other, so that all writers lock in the same order.
    const counts = inserts.map(({ name }) => sql`(select count(*) from ${sql.table(name)})`);
    text = sql`with ${sql.join(steps)} select ${sql.join(counts, sql` + `)} as written`.compile(db).sql;
    texts.set(key, text);
  }
  return text;
}

/** Nodes, bodies and takes are named by their content: what is there is the same. */
export const keepThere = sql`on conflict do nothing`;

/** Of two with the same key the later counts, whoever comes first: decided where the row is locked. */
export function keepLater(table: string, key: readonly string[], values: readonly string[]): RawBuilder<unknown> {
  const set = [...values, 'clock', 'seq', 'xid'].map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`);
  return sql`on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do update set ${sql.join(set)}
    where ${sql.table(table)}.clock < excluded.clock`;
}
