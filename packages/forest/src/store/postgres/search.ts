import { sql } from 'kysely';
import { sha256 } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import { pageLimit } from '../page.ts';
import type { Page, SearchHit, SearchQuery } from '../store.ts';
import { indexWords, nodeText, splitWords } from '../word-index.ts';
import { type PostgresContext, readPosition, toPageOfRows } from './context.ts';
import { digitBytes, readId, toStored } from './values.ts';

/** A flag of `ts_rank`: divide the rank by 1 + the logarithm of the text's length. */
const LOG_OF_LENGTH = 1;

export async function search({ db, project, own }: PostgresContext, query: SearchQuery): Promise<Page<SearchHit>> {
  const { words, roles, since, until, ...page } = query;
  const wanted = toTsQuery(project, words);
  if (wanted === undefined) return { items: [] };
  const filtered = sql`
      join skein_node as node on node.project = ${own} and node.id = words.id
      where words.project = ${own} and node.at >= ${since ?? -Infinity} and node.at < ${until ?? Infinity}
        and (${roles === undefined} or node.role = any(${(roles ?? []).map(toStored)}))`;
  const isFiltered = roles !== undefined || since !== undefined || until !== undefined;
  const place = readPosition(page, [0, 0, '']);
  const [score, at, id] = place ?? [0, 0, ''];
  const wantedRows = pageLimit(page) + 1;
  // The project is checked on the hits, behind `offset`: otherwise PostgreSQL may read the keys of all words of the project, to
  // intersect them with the hits. The words begin with a mark of their project, so there are hardly any others.
  // The time of a hit is looked up only for those that the page may have: looking up every hit's node costs more than the search.
  const { rows } = await sql<{ id: string; score: number; at: number }>`
    with hit as materialized (
      select words.id, ts_rank(words.words, ${wanted}::tsquery, ${sql.lit(LOG_OF_LENGTH)})::float8 as score
      from (select project, id, words from skein_words where words @@ ${wanted}::tsquery offset 0) as words
      ${isFiltered ? filtered : sql`where words.project = ${own}`}
    ), least as (
      select score from hit where ${place === undefined} or score < ${score}
      order by score desc offset ${wantedRows - 1} limit 1
    )
    select encode(hit.id, 'hex') as id, hit.score, node.at::float8 as at
    from hit join skein_node as node on node.project = ${own} and node.id = hit.id
    where (${place === undefined} or hit.score <= ${score})
      and hit.score >= coalesce((select score from least), '-Infinity'::float8)
      and (${place === undefined} or hit.score < ${score} or node.at < ${at} or (node.at = ${at} and hit.id > ${digitBytes(id)}))
    order by hit.score desc, node.at desc, hit.id
    limit ${wantedRows}`.execute(db);
  const read = (hits: readonly { id: string; score: number }[]) =>
    hits.map((hit) => ({ id: readId(hit.id), score: hit.score }));
  return toPageOfRows(rows, page, read, (hit) => [hit.score, Number(hit.at), hit.id]);
}

/** PostgreSQL limits lexemes to 2 kB, vectors to 1 MB, positions to 16,383, and positions per word to 255. */
const LONGEST_WORD = 200;
const LARGEST_VECTOR = 800_000;
const LAST_PLACE = 16_383;
const MOST_PLACES = 255;

/**
 * The words of a node as the text of a `tsvector`. It uses our own rule for words, so that all stores find the same. If
 * a text has more different words than a vector can hold, the first ones are kept.
 */
export function toTsVector(project: string, node: NodeRecord, body = ''): string {
  const mark = projectMark(project);
  const places = new Map<string, number[]>();
  let size = 0;
  for (const [index, word] of indexWords(nodeText(node.dialect, body)).entries()) {
    const lexeme = toLexeme(mark, word);
    let known = places.get(lexeme);
    if (!known) {
      size += Buffer.byteLength(lexeme) + 8;
      if (size > LARGEST_VECTOR) break;
      known = [];
      places.set(lexeme, known);
    }
    if (known.length < MOST_PLACES && index < LAST_PLACE) {
      known.push(index + 1);
      size += 2;
    }
  }
  return [...places].map(([lexeme, at]) => (at.length > 0 ? `${lexeme}:${at.join()}` : lexeme)).join(' ');
}

/** A `tsquery` that requires every word; the last one may be a prefix. Undefined if there are no words. */
function toTsQuery(project: string, words: readonly string[]): string | undefined {
  const mark = projectMark(project);
  const lexemes = words.flatMap(splitWords).map((word) => toLexeme(mark, word));
  return lexemes.length === 0 ? undefined : `${lexemes.join(' & ')}:*`;
}

/**
 * A prefix that makes words of different projects differ in the index, so that a search does not read those of others.
 */
function projectMark(project: string): string {
  return sha256(project).slice(0, 6);
}

function toLexeme(mark: string, word: string): string {
  return mark + (word.length > LONGEST_WORD ? Array.from(word).slice(0, LONGEST_WORD).join('') : word);
}
