import { sql } from 'kysely';
import { type NodeRecord, sha256, wordsOf } from '../../model/index.ts';
import { limitOf } from '../page.ts';
import type { Page, SearchHit, SearchQuery } from '../store.ts';
import { nodeText } from '../word-index.ts';
import { type Context, pageOfRows, placeOf } from './context.ts';
import { fromStored, toStored } from './rows.ts';

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

/** PostgreSQL refuses lexemes of 2 kB and vectors of 1 MB, and counts places up to 16,383, 255 of each word. */
const LONGEST_WORD = 200;
const LARGEST_VECTOR = 800_000;
const LAST_PLACE = 16_383;
const MOST_PLACES = 255;

/**
 * The words of a node's text as a `tsvector` is written, by our own rule of what a word is, so that all stores find
 * the same. Of a text with more different words than a vector can hold, the first are kept.
 */
export function vectorOf(project: string, node: NodeRecord, body = ''): string {
  const mark = markOf(project);
  const places = new Map<string, number[]>();
  let size = 0;
  for (const [index, word] of wordsOf(nodeText(node.dialect, body)).entries()) {
    const lexeme = lexemeOf(mark, word);
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

/** Every word has to be there; the last one may be the beginning of one. Undefined for no words. */
function tsQueryOf(project: string, words: readonly string[]): string | undefined {
  const mark = markOf(project);
  const lexemes = words.flatMap(wordsOf).map((word) => lexemeOf(mark, word));
  return lexemes.length === 0 ? undefined : `${lexemes.join(' & ')}:*`;
}

/** Words of different projects differ in the index, nearly always: a search reads nothing of its neighbours. */
function markOf(project: string): string {
  return sha256(project).slice(0, 6);
}

function lexemeOf(mark: string, word: string): string {
  return mark + (word.length > LONGEST_WORD ? Array.from(word).slice(0, LONGEST_WORD).join('') : word);
}
