import { sql } from 'kysely';
import type { StoreRecord } from '../../model/index.ts';
import { allOf, KINDS } from './all-records.ts';
import type { Context } from './context.ts';
import { writePages } from './pages.ts';

const PAGES_AT_ONCE = 1000;

/**
 * Removes what `keep` does not want, in one transaction: all or nothing. Rows that cannot be read are kept. Cursors of
 * `changes` end here (the era), because a removal is no row.
 */
export async function compact(
  context: Context,
  keep: (record: StoreRecord) => boolean,
): Promise<{ kept: number; removed: number }> {
  const { db, own, project } = context;
  let kept = 0;
  let removed = 0;
  await db.transaction().execute(async (transaction) => {
    for (const kind of KINDS) {
      for await (const records of allOf({ ...context, db: transaction }, kind)) {
        const unwanted = records.filter(({ record }) => !keep(record));
        kept += records.length - unwanted.length;
        removed += unwanted.length;
        if (unwanted.length === 0) continue;
        const key = sql.join(kind.key.map((name) => sql.ref(name)));
        const columns = kind.key.map((_, at) => sql`${unwanted.map((found) => found.key[at])}::text[]`);
        await sql`
          delete from ${sql.table(kind.table)}
          where project = ${own} and (${key}) in (select * from unnest(${sql.join(columns)}))`.execute(transaction);
      }
    }
    await sql`
      delete from skein_words as words
      where project = ${own} and not exists (select from skein_node where project = ${own} and id = words.id)
    `.execute(transaction);
    // A page may name a node that is gone, and one that could not be written once may be complete now.
    await sql`delete from skein_page where project = ${own}`.execute(transaction);
    const { rows } = await sql<{ id: string }>`
      select id from skein_node where project = ${own} and depth % 64 = 0`.execute(transaction);
    for (let at = 0; at < rows.length; at += PAGES_AT_ONCE)
      await writePages(
        transaction,
        project,
        rows.slice(at, at + PAGES_AT_ONCE).map(({ id }) => id),
      );
    await sql`
      insert into skein_era (project, era) values (${own}, 1)
      on conflict (project) do update set era = skein_era.era + 1`.execute(transaction);
  });
  for (const table of [...KINDS.map((kind) => kind.table), 'skein_words', 'skein_page'])
    await sql`vacuum (analyze) ${sql.table(table)}`.execute(db);
  return { kept, removed };
}
