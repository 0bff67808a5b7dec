import { type Kysely, sql } from 'kysely';
import { ROOT } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import { nodeColumnsOf, type ReadNode } from './rows.ts';
import type { PostgresTables } from './schema.ts';
import { idBytes, readId, toStored } from './values.ts';

/**
 * Every 64th node of a history has a page: the ids of its 63 nearest ancestors, and the next one, which has the page
 * before. So 10,000 nodes take 157 steps instead of 10,000. Pages are only a shortcut: without one, the path is
 * followed from parent to parent.
 */
const PAGE = 64;

export function hasPage({ depth }: NodeRecord): boolean {
  return depth > 0 && depth % PAGE === 0;
}

/** Writes the pages of nodes that are stored already. A page with missing ancestors is left out. */
export async function writePages(db: Kysely<PostgresTables>, project: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const own = toStored(project);
  await sql`
    insert into skein_page (project, id, above, ids)
    select ${own}, start.id, climbed.above, climbed.ids
    from unnest(${ids.map(idBytes)}::bytea[]) as start (id)
    cross join lateral (
      with recursive climb as (
        select node.id, node.parent, 1 as up
        from skein_node as node
        where node.project = ${own}
          and node.id = (select parent from skein_node where project = ${own} and id = start.id)
        union all
        select node.id, node.parent, climb.up + 1
        from climb join skein_node as node on node.project = ${own} and node.id = climb.parent
        where climb.up < ${PAGE - 1}
      )
      select array_agg(id order by up) as ids, (array_agg(parent order by up desc))[1] as above from climb
    ) as climbed
    where cardinality(climbed.ids) = ${PAGE - 1}
    on conflict do nothing`.execute(db);
}

/** Reads a node's ancestors down from the depth `floor`, or a few more if a page reaches above it. */
export async function readAncestors(
  db: Kysely<PostgresTables>,
  project: string,
  id: string,
  floor: number,
): Promise<ReadNode[]> {
  const own = toStored(project);
  const { rows } = await sql<ReadNode>`
    with recursive climb as (
      select node.id, node.parent, node.depth, page.above, page.ids
      from skein_node as node
      left join skein_page as page on page.project = node.project and page.id = node.id
      where node.project = ${own} and node.id = ${idBytes(id)}
      union all
      select node.id, node.parent, node.depth, page.above, page.ids
      from climb
      join skein_node as node on node.project = ${own} and node.id = coalesce(climb.above, climb.parent)
      left join skein_page as page on page.project = node.project and page.id = node.id and node.depth % ${sql.lit(PAGE)} = 0
      where climb.depth > ${floor}
    ),
    found as (select id from climb union select unnest(ids) from climb)
    select ${nodeColumnsOf('node')}
    from found join skein_node as node on node.project = ${own} and node.id = found.id
    order by node.depth`.execute(db);
  return rows;
}

/** The depth of `above`, where reading ancestors can stop. */
export async function readDepth(db: Kysely<PostgresTables>, project: string, above: string): Promise<number> {
  if (above === ROOT) return 0;
  const row = await db
    .selectFrom('skein_node')
    .select('depth')
    .where('project', '=', toStored(project))
    .where('id', '=', idBytes(above))
    .executeTakeFirst();
  return row?.depth ?? 0;
}

/** The rows after `above`; undefined if it is not on the path. */
export function nodesBehind(rows: readonly ReadNode[], above: string): ReadNode[] | undefined {
  const at = rows.findIndex(({ id }) => readId(id) === above);
  return at < 0 ? undefined : rows.slice(at + 1);
}
