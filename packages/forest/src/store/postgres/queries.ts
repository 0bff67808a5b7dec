import { type RawBuilder, sql } from 'kysely';
import { DamageError } from '../../model/damage.ts';
import { ROOT } from '../../model/ids.ts';
import type { EntryKind, EntryRecord, NodeRecord } from '../../model/records.ts';
import { cursorError, pageLimit } from '../page.ts';
import { hashFault } from '../records.ts';
import type { PageRequest, Store } from '../store.ts';
import { nodesBehind, readAncestors, readDepth } from './ancestor-pages.ts';
import { type PostgresContext, readPosition, readRows, toPageOfRows } from './context.ts';
import { positionRows, readPositions, selectPositions } from './lanes.ts';
import {
  BODY_COLUMNS,
  ENTRY_COLUMNS,
  NODE_COLUMNS,
  nodeColumnsOf,
  REF_COLUMNS,
  type ReadBody,
  type ReadEntry,
  type ReadNode,
  type ReadRef,
  readBody,
  readEntry,
  readNode,
  readRef,
  readTake,
  TAKE_COLUMNS,
} from './rows.ts';
import type { PostgresTables } from './schema.ts';
import { digitBytes, echoBytes, idBytes, idRange, readId, toStored } from './values.ts';

type NodeReads = Pick<Store, 'nodes' | 'idsLike' | 'path' | 'children' | 'childCounts' | 'scan' | 'deepest' | 'byEcho'>;

export function nodeQueries(context: PostgresContext): NodeReads {
  const { db, project, own } = context;
  const read = (rows: readonly ReadNode[]): NodeRecord[] =>
    readRows(context, rows, readNode, ({ id }) => `node ${readId(id)}`);
  const table = () => db.selectFrom('skein_node').where('project', '=', own);

  return {
    async nodes(ids) {
      if (ids.length === 0) return [];
      const rows = await table().select(NODE_COLUMNS).where('id', '=', anyId(ids)).execute();
      const found = new Map(read(rows).map((node) => [node.id, node]));
      return ids.map((id) => found.get(id));
    },
    async idsLike(prefix, limit) {
      const [first, last] = idRange(prefix);
      const rows = await table()
        .select(sql<string>`encode(id, 'hex')`.as('digits'))
        .where('id', '>=', first)
        .where('id', '<=', last)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ digits }) => readId(digits));
    },
    async path(id, above = ROOT) {
      if (id === above) return [];
      const floor = await readDepth(db, project, above);
      const rows = await readAncestors(db, project, id, floor);
      return read(nodesBehind(rows, above) ?? (floor === 0 ? rows : await readAncestors(db, project, id, 0)));
    },
    async children(id, page = {}) {
      const place = readPosition(page, [0, '']);
      const list = (from: PostgresContext['db']) =>
        from
          .selectFrom('skein_node')
          .where('project', '=', own)
          .select(NODE_COLUMNS)
          .where('parent', '=', idBytes(id))
          .$if(place !== undefined, (query) =>
            query.where(sql<boolean>`(at, id) > (${place![0]}, ${digitBytes(place![1])})`),
          )
          .orderBy('at')
          .orderBy('skein_node.id')
          .limit(pageLimit(page) + 1)
          .execute();
      // Every conversation begins at the root.
      const rows = await (id === ROOT ? inOrderOfIndex(context, list) : list(db));
      return toPageOfRows(rows, page, read, ({ at, id }) => [at, id]);
    },
    async childCounts(ids) {
      if (ids.length === 0) return [];
      const rows = await table()
        .select(({ fn }) => [sql<string>`encode(parent, 'hex')`.as('digits'), fn.countAll<string>().as('count')])
        .where('parent', '=', anyId(ids))
        .groupBy('parent')
        .execute();
      const counts = new Map(rows.map(({ digits, count }) => [readId(digits), Number(count)]));
      return ids.map((id) => counts.get(id) ?? 0);
    },
    /** All pages show the state at the first page, so that a node never appears without its parent. */
    async scan(page: PageRequest = {}) {
      const place = readScanPosition(page);
      const rows = await inOrderOfIndex(context, (from) =>
        from
          .selectFrom('skein_node')
          .where('project', '=', own)
          .select([...NODE_COLUMNS, 'seq', selectPositions(own).as('positions')])
          .$if(place !== undefined, (query) =>
            query.where(sql<boolean>`(depth, seq) > (${place!.depth}, ${place!.seq})`).where(sql<boolean>`n <= (
                select seen.n from ${positionRows(place!.seen)} as seen (lane, n)
                where seen.lane = skein_node.lane)`),
          )
          .orderBy('depth')
          .orderBy('seq')
          .limit(pageLimit(page) + 1)
          .execute(),
      );
      return toPageOfRows(rows, page, read, ({ depth, seq, positions }) => [depth, seq, place?.positions ?? positions]);
    },
    async deepest(chain) {
      const ids = Array.from({ length: chain.length }, (_, index) => idBytes(chain.at(index)!));
      // Looks ids up one at a time from the end; `limit 1` prevents a join over all of them.
      const { rows } = await sql<{ at: string }>`
        select step.at from (${fromTheEnd(ids)}) as step (name, at)
        where (select true from skein_node where project = ${own} and id = step.name limit 1)
        order by step.at desc limit 1`.execute(db);
      return Number(rows[0]?.at ?? 0) - 1;
    },
    async byEcho(echoes, lead) {
      const { rows } = await sql<ReadNode & { step: string }>`
        select step.at as step, ${nodeColumnsOf('found')}
        from (${fromTheEnd(echoes.map(echoBytes))}) as step (echo, at)
        cross join lateral (
          (${withEcho(own, sql`and node.lead = ${idBytes(lead)}`)})
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

/** The last node of the page before, and the numbers of all lanes when the first page was read. */
function readScanPosition(page: PageRequest) {
  const place = readPosition(page, [0, '', '']);
  if (place === undefined) return undefined;
  const [depth, seq, positions] = place;
  const seen = readPositions(String(positions));
  if (seen === undefined) throw cursorError(page.after);
  return { depth, seq, positions: String(positions), seen };
}

/**
 * Runs a query that an index gives in order. Projects have no statistics, so PostgreSQL would read and sort all rows of a
 * project for every page. Engines without these settings have planners of their own.
 */
function inOrderOfIndex<T>(
  { db, hasPlannerSettings }: PostgresContext,
  query: (from: PostgresContext['db']) => Promise<T>,
): Promise<T> {
  if (!hasPlannerSettings) return query(db);
  return db.transaction().execute(async (transaction) => {
    await sql`select set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`.execute(
      transaction,
    );
    return query(transaction);
  });
}

/** Ids or echoes with their indexes, last one first. */
function fromTheEnd(names: readonly Buffer[]): RawBuilder<unknown> {
  return sql`
    select * from unnest(${names}::bytea[]) with ordinality as listed (name, at) order by listed.at desc offset 0`;
}

const anyId = (ids: readonly string[]) => sql<Buffer>`any(${ids.map(idBytes)}::bytea[])`;

/** The deepest, then newest node with an echo, by an index instead of sorting. */
function withEcho(own: string, also: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select * from skein_node as node where node.project = ${own} and node.echo = step.echo ${also}
    order by node.depth desc, node.at desc, node.id desc limit 1`;
}

/** Reads a body and checks its hash: a database is no more reliable than its disk. */
function readText(row: ReadBody): [digest: string, text: string] {
  const body = readBody(row);
  const fault = hashFault(body);
  if (fault !== undefined) throw new DamageError(fault);
  return [body.digest, body.text];
}

/** The name of the refs that say where exchanges were placed: one for each exchange. */
const PLACEMENT = 'landed';

/** The queries for everything but nodes. */
export function recordQueries(
  context: PostgresContext,
): Pick<Store, 'bodies' | 'takes' | 'refs' | 'entry' | 'entries'> {
  const { db, own } = context;
  const anyOf = (values: readonly string[]) => sql<string>`any(${values.map(toStored)})`;
  /** One name as such, so that an index which begins with it gives the order. */
  const namedBy = (names: readonly string[]) =>
    names.length === 1 ? sql<string>`${toStored(names[0]!)}` : anyOf(names);
  /**
   * All registers, or those of some keys, which are looked up one by one: with `offset`, PostgreSQL cannot read all
   * registers of a name in the order of their clocks instead, which takes a minute in a large project.
   */
  const refsOn = (on: string, keys: readonly string[] | undefined) => {
    const table = sql.table('skein_ref');
    const source =
      keys === undefined
        ? sql<PostgresTables['skein_ref']>`${table}`
        : sql<PostgresTables['skein_ref']>`(
            select found.* from unnest(${[...new Set(keys)].map(toStored)}::text[]) as wanted (key)
            cross join lateral (
              select * from ${table} where project = ${own} and key = wanted.key and "on" = ${on} offset 0
            ) as found)`;
    return source.as<'skein_ref'>('skein_ref');
  };
  /** Entries of a kind that have one of these values, which are looked up one by one. */
  const entriesWith = (kind: string, column: 'id' | 'of', values: readonly string[]) => {
    const [table, name] = [sql.table('skein_entry'), sql.ref(column)];
    return sql<PostgresTables['skein_entry']>`(
      select found.* from unnest(${[...new Set(values)].map(toStored)}::text[]) as wanted (${name})
      cross join lateral (
        select * from ${table} where project = ${own} and kind = ${sql.lit(kind)} and ${name} = wanted.${name} offset 0
      ) as found)`.as<'skein_entry'>('skein_entry');
  };
  const entriesOf = (kind: string, of: string | readonly string[] | undefined) =>
    of === undefined || typeof of === 'string'
      ? sql<PostgresTables['skein_entry']>`${sql.table('skein_entry')}`.as<'skein_entry'>('skein_entry')
      : entriesWith(kind, 'of', of);
  const readRefs = (rows: readonly ReadRef[]) =>
    readRows(context, rows, readRef, ({ on, key, name }) => `ref ${on}/${key}/${name}`);
  const readEntries = (rows: readonly ReadEntry[]) =>
    readRows(context, rows, readEntry, ({ kind, id }) => `${kind} ${id}`);
  // A recorder looks up, at once, whatever other processes have recorded.
  const entry = togetherByKind(async (kind, ids) =>
    readEntries(
      await db
        .selectFrom(entriesWith(kind, 'id', ids))
        .select(ENTRY_COLUMNS)
        .execute(),
    ),
  );

  return {
    async bodies(digests) {
      if (digests.length === 0) return [];
      const rows = await db
        .selectFrom('skein_body')
        .select(BODY_COLUMNS)
        .where('project', '=', own)
        .where('digest', '=', anyId(digests))
        .execute();
      const texts = new Map(readRows(context, rows, readText, ({ digest }) => `body ${readId(digest)}`, 'wrong-hash'));
      return digests.map((digest) => texts.get(digest));
    },
    async takes(nodes) {
      if (nodes.length === 0) return [];
      const rows = await db
        .selectFrom('skein_take')
        .select(TAKE_COLUMNS)
        .where('project', '=', own)
        .where('node', '=', anyId(nodes))
        .orderBy('at')
        .orderBy('skein_take.id')
        .execute();
      return readRows(context, rows, readTake, ({ id }) => `take ${readId(id)}`);
    },
    async refs({ on, keys, names, order = 'oldest', ...page }) {
      const place = readPosition(page, ['', '', '']);
      const direction = order === 'oldest' ? 'asc' : 'desc';
      const beyond = sql.raw(order === 'oldest' ? '>' : '<');
      const list = (from: PostgresContext['db']) =>
        from
          .selectFrom(refsOn(on, keys))
          .select(REF_COLUMNS)
          .where('project', '=', own)
          .where('on', '=', on)
          .where('is_set', '=', true)
          .$if(names !== undefined, (query) => query.where('name', '=', namedBy(names!)))
          // So that PostgreSQL sees that the index, which leaves these out, has what is asked for.
          .$if(names !== undefined && !names.includes(PLACEMENT), (query) =>
            query.where('name', '<>', sql.lit(PLACEMENT)),
          )
          .$if(place !== undefined, (query) =>
            query.where(sql<boolean>`(clock, key, name) ${beyond} (${sql.join(place!)})`),
          )
          .orderBy('clock', direction)
          .orderBy('key', direction)
          .orderBy('name', direction)
          .limit(pageLimit(page) + 1)
          .execute();
      // The registers of one name, such as all threads by their last change, are in the order of an index.
      const rows = await (keys === undefined && names?.length === 1 ? inOrderOfIndex(context, list) : list(db));
      return toPageOfRows(rows, page, readRefs, ({ clock, key, name }) => [clock, key, name]);
    },
    entry,
    async entries(kind, { of, afterOrder, order = 'oldest', ...page } = {}) {
      const place = readPosition(page, ['', '']);
      const [behind, sorted] = order === 'oldest' ? (['>', 'asc'] as const) : (['<', 'desc'] as const);
      // All exchanges and their parts are in no index by their order.
      const isByKey = kind === 'exchange' && of === undefined;
      const list = (from: PostgresContext['db']) =>
        from
          .selectFrom(entriesOf(kind, of))
          .select(ENTRY_COLUMNS)
          .where('project', '=', own)
          // As a literal, so that PostgreSQL sees that an index of some kinds has it.
          .where('kind', '=', sql.lit(kind))
          .$if(typeof of === 'string', (query) => query.where('of', '=', toStored(String(of))))
          .$if(afterOrder !== undefined, (query) => query.where('order', behind, toStored(afterOrder!)))
          .$if(place !== undefined, (query) => {
            const beyond = sql.raw(behind);
            return isByKey
              ? query.where(sql<boolean>`id ${beyond} ${place![1]}`)
              : query.where(sql<boolean>`("order", id) ${beyond} (${sql.join(place!)})`);
          })
          .$if(!isByKey, (query) => query.orderBy('order', sorted))
          .orderBy('id', sorted)
          .limit(pageLimit(page) + 1)
          .execute();
      // The list of exchanges, and all entries of a kind, may be as long as the project.
      const isLong = kind === 'exchange' ? of === undefined || typeof of === 'string' : of === undefined;
      const rows = await (isLong ? inOrderOfIndex(context, list) : list(db));
      return toPageOfRows(rows, page, readEntries, ({ order, id }) => [order, id]);
    },
  };
}

/** How many entries one query reads at most. */
const READ_TOGETHER = 500;

interface LookUp {
  readonly id: string;
  readonly done: (entry: EntryRecord | undefined) => void;
  readonly fail: (error: unknown) => void;
}

/** Look-ups of entries, of which those that are made at once are one query. */
function togetherByKind(
  read: (kind: EntryKind, ids: readonly string[]) => Promise<readonly EntryRecord[]>,
): Store['entry'] {
  let waiting = new Map<EntryKind, LookUp[]>();
  const readSome = async (kind: EntryKind, some: readonly LookUp[]): Promise<void> => {
    try {
      const entries = await read(
        kind,
        some.map(({ id }) => id),
      );
      const found = new Map(entries.map((entry) => [entry.id, entry]));
      for (const { id, done } of some) done(found.get(id));
    } catch (error) {
      for (const { fail } of some) fail(error);
    }
  };
  const readAll = () => {
    const all = waiting;
    waiting = new Map();
    for (const [kind, lookUps] of all)
      for (let at = 0; at < lookUps.length; at += READ_TOGETHER)
        void readSome(kind, lookUps.slice(at, at + READ_TOGETHER));
  };
  return (kind, id) =>
    new Promise((done, fail) => {
      if (waiting.size === 0) queueMicrotask(readAll);
      const lookUps = waiting.get(kind) ?? [];
      waiting.set(kind, lookUps);
      lookUps.push({ id, done, fail });
    });
}
