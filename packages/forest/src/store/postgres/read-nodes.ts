import { type RawBuilder, sql } from 'kysely';
import { type NodeRecord, ROOT } from '../../model/index.ts';
import { limitOf } from '../page.ts';
import type { PageRequest, Store } from '../store.ts';
import { NODE_COLUMNS } from './columns.ts';
import { type Context, readRows } from './context.ts';
import { pageOfRows, placeOf } from './cursor.ts';
import { behind, climb, depthOf } from './pages.ts';
import { readNode } from './rows.ts';
import type { NodeRow } from './schema.ts';
import { fromStored, toStored } from './text.ts';

type NodeReads = Pick<Store, 'nodes' | 'idsLike' | 'path' | 'children' | 'childCounts' | 'scan' | 'deepest' | 'byEcho'>;

export function nodeReads(context: Context): NodeReads {
  const { db, project, own } = context;
  const read = (rows: readonly Omit<NodeRow, 'project' | 'role'>[]): NodeRecord[] =>
    readRows(context, rows, readNode, ({ id }) => `node ${id}`);
  const table = () => db.selectFrom('skein_node').where('project', '=', own);

  return {
    async nodes(ids) {
      if (ids.length === 0) return [];
      const rows = await table()
        .select(NODE_COLUMNS)
        .where('id', '=', sql<string>`any(${ids.map(toStored)})`)
        .execute();
      const found = new Map(read(rows).map((node) => [node.id, node]));
      return ids.map((id) => found.get(id));
    },
    async idsLike(prefix, limit) {
      const first = toStored(prefix);
      const rows = await table()
        .select('id')
        .where('id', '>=', first)
        .where('id', '<', `${first}\u{10ffff}`)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => fromStored(id));
    },
    async path(id, above = ROOT) {
      if (id === above) return [];
      const floor = await depthOf(db, project, above);
      const rows = await climb(db, project, id, floor);
      if (above === ROOT) return read(rows);
      return read(behind(rows, above) ?? (floor === 0 ? rows : await climb(db, project, id, 0)));
    },
    async children(id, page = {}) {
      const place = placeOf(page, 2);
      const rows = await table()
        .select(NODE_COLUMNS)
        .where('parent', '=', toStored(id))
        .$if(place !== undefined, (query) => query.where(sql<boolean>`(at, id) > (${sql.join(place ?? [])})`))
        .orderBy('at')
        .orderBy('id')
        .limit(limitOf(page) + 1)
        .execute();
      return pageOfRows(rows, page, read, ({ at, id }) => [at, id]);
    },
    async childCounts(ids) {
      if (ids.length === 0) return [];
      const rows = await table()
        .select(({ fn }) => ['parent', fn.countAll<string>().as('count')])
        .where('parent', '=', sql<string>`any(${ids.map(toStored)})`)
        .groupBy('parent')
        .execute();
      const counts = new Map(rows.map(({ parent, count }) => [fromStored(parent), Number(count)]));
      return ids.map((id) => counts.get(id) ?? 0);
    },
    /** All pages show the forest as it was at the first one: a node is never there without its parent. */
    async scan(page: PageRequest = {}) {
      const place = placeOf(page, 2);
      const snapshot = place === undefined ? sql`pg_current_snapshot()` : sql`${place[1]}::pg_snapshot`;
      const rows = await table()
        .select([...NODE_COLUMNS, 'seq', sql<string>`pg_current_snapshot()::text`.as('snapshot')])
        .where('seq', '>', place === undefined ? '0' : String(place[0]))
        .where(sql<boolean>`pg_visible_in_snapshot(xid, ${snapshot})`)
        .orderBy('seq')
        .limit(limitOf(page) + 1)
        .execute();
      return pageOfRows(rows, page, read, ({ seq, snapshot }) => [seq, place?.[1] ?? snapshot]);
    },
    async deepest(chain) {
      const ids = Array.from({ length: chain.length }, (_, index) => toStored(chain.at(index)!));
      // From the end, one look-up at a time, until one is there: `limit 1` keeps it from being a join over all of them.
      const { rows } = await sql<{ at: string }>`
        select step.at from (${fromTheEnd(ids)}) as step (name, at)
        where (select true from skein_node where project = ${own} and id = step.name limit 1)
        order by step.at desc limit 1`.execute(db);
      return Number(rows[0]?.at ?? 0) - 1;
    },
    async byEcho(echoes, lead) {
      const { rows } = await sql<NodeRow & { step: string }>`
        select step.at as step, ${sql.join(NODE_COLUMNS.map((column) => sql.ref(`found.${column}`)))}
        from (${fromTheEnd(echoes.map(toStored))}) as step (echo, at)
        cross join lateral (
          (${withEcho(own, sql`and node.lead = ${toStored(lead)}`)})
          union all
          (${withEcho(own, sql``)})
          limit 1
        ) as found
        order by step.at desc limit 1`.execute(db);
      const [node] = read(rows);
      return node && { index: Number(rows[0]!.step) - 1, node };
    },
  };
}

/** Names with their places, the last one first. */
function fromTheEnd(names: readonly string[]): RawBuilder<unknown> {
  return sql`
    select * from unnest(${names}::text[]) with ordinality as listed (name, at) order by listed.at desc offset 0`;
}

/** The deepest, then the newest; two look-ups in an index instead of sorting all that have the echo. */
function withEcho(own: string, also: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select * from skein_node as node where node.project = ${own} and node.echo = step.echo ${also}
    order by node.depth desc, node.at desc, node.id desc limit 1`;
}
