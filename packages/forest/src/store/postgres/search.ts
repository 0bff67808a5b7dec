import { sql } from 'kysely';
import { limitOf } from '../page.ts';
import type { Page, SearchHit, SearchQuery } from '../store.ts';
import type { Context } from './context.ts';
import { pageOfRows, placeOf } from './cursor.ts';
import { fromStored, toStored } from './text.ts';
import { tsQueryOf } from './words.ts';

/** How often the words stand there, less for long texts. */
const LOG_OF_LENGTH = 1;

export async function search({ db, project, own }: Context, query: SearchQuery): Promise<Page<SearchHit>> {
  const { words, roles, since, until, ...page } = query;
  const wanted = tsQueryOf(project, words);
  if (wanted === undefined) return { items: [] };
  // Looking every hit's node up costs more than finding and ranking them.
  const filtered = sql`
      join skein_node as node on node.project = words.project and node.id = words.id
      where node.at >= ${since ?? -Infinity} and node.at < ${until ?? Infinity}
        and (${roles === undefined} or node.role = any(${(roles ?? []).map(toStored)}))`;
  const isFiltered = roles !== undefined || since !== undefined || until !== undefined;
  const place = placeOf(page, 2);
  const { rows } = await sql<{ id: string; score: number }>`
    select id, score from (
      select words.id, ts_rank(words.words, wanted.query, ${sql.lit(LOG_OF_LENGTH)})::float8 as score
      from (select ${wanted}::tsquery as query) as wanted
      join skein_words as words on words.words @@ wanted.query and words.project = ${own}
      ${isFiltered ? filtered : sql``}
    ) as hit
    where ${place === undefined} or score < ${place?.[0] ?? 0} or (score = ${place?.[0] ?? 0} and id > ${place?.[1] ?? ''})
    order by score desc, id
    limit ${limitOf(page) + 1}`.execute(db);
  const read = (hits: readonly { id: string; score: number }[]) =>
    hits.map(({ id, score }) => ({ id: fromStored(id), score }));
  return pageOfRows(rows, page, read, ({ id, score }) => [score, id]);
}
