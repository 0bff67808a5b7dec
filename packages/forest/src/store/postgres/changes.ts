import { type RawBuilder, sql } from 'kysely';
import type { StoreRecord } from '../../model/index.ts';
import type { Change, Changes } from '../store.ts';
import type { Context } from './context.ts';
import { fromStored } from './text.ts';

/** Whoever is further behind reads anew. */
const MOST_CHANGES = 100_000;

/**
 * What a reader has seen is a PostgreSQL snapshot: the transactions that had ended when it looked. News are the rows
 * of all others that have ended since. A number from a sequence would not do: a transaction that drew a smaller one
 * may end later, and a reader that went on to the larger number would never see it.
 */
export async function changes({ db, own }: Context, after?: string): Promise<Changes> {
  const seen = after === undefined ? undefined : readCursor(after);
  const { rows } = await sql<Row>`
    with now as (
      select pg_current_snapshot() as snapshot, coalesce((select era from skein_era where project = ${own}), 0) as era
    )
    select now.snapshot::text as snapshot, now.era, news.kind, news.key, news."of",
      coalesce(pg_snapshot_xmax(now.snapshot) < pg_snapshot_xmax(${seen?.snapshot ?? null}::pg_snapshot), false) as ahead
    from now left join lateral (
      select * from (${sql.join(
        SOURCES.map((source) => newsOf(source, own, seen?.snapshot)),
        sql` union all `,
      )}) as news
      order by seq limit ${MOST_CHANGES + 1}
    ) as news on true
    order by news.seq`.execute(db);
  const { snapshot, era, ahead } = rows[0]!;
  const next = `${era}/${snapshot}`;
  if (after === undefined) return { items: [], next, reset: false };
  // A snapshot from the future is one of another server, which this database was restored from.
  if (!seen || seen.era !== era || ahead || rows.length > MOST_CHANGES) return { items: [], next, reset: true };
  return { items: rows.flatMap(changeOf), next, reset: false };
}

interface Row {
  snapshot: string;
  era: number;
  ahead: boolean;
  kind: string | null;
  key: string | null;
  of: string | null;
}

interface Source {
  readonly table: string;
  readonly kind: string;
  readonly key: string;
  readonly of: string;
}

/** As `refKey` writes it. */
const REF_KEY = `"on" || '/' || replace(replace(key, '%', '%25'), '/', '%2F') || '/' || name`;

const SOURCES: readonly Source[] = [
  { table: 'skein_node', kind: "'node'", key: 'id', of: 'null' },
  { table: 'skein_take', kind: "'take'", key: 'id', of: 'node' },
  { table: 'skein_ref', kind: "'ref'", key: REF_KEY, of: 'null' },
  { table: 'skein_entry', kind: 'kind', key: 'id', of: '"of"' },
  { table: 'skein_other', kind: "(record::json ->> 'k')", key: 'record', of: 'null' },
];

function newsOf({ table, kind, key, of }: Source, own: string, seen: string | undefined): RawBuilder<unknown> {
  const snapshot = sql`${seen ?? null}::pg_snapshot`;
  return sql`(
    select seq, ${sql.raw(kind)} as kind, ${sql.raw(key)} as key, ${sql.raw(of)} as "of" from ${sql.table(table)}
    where project = ${own} and xid >= pg_snapshot_xmin(${snapshot}) and not pg_visible_in_snapshot(xid, ${snapshot})
    order by seq limit ${MOST_CHANGES + 1})`;
}

function changeOf({ kind, key, of }: Row): Change[] {
  if (kind === null || key === null) return [];
  const change = { kind: kind as StoreRecord['k'], key: fromStored(key) };
  return [of === null ? change : { ...change, of: fromStored(of) }];
}

function readCursor(text: string): { era: number; snapshot: string } | undefined {
  const [, era, snapshot] = /^(\d{1,9})\/(\d{1,19}:\d{1,19}:[\d,]*)$/.exec(text) ?? [];
  return era === undefined || snapshot === undefined ? undefined : { era: Number(era), snapshot };
}
