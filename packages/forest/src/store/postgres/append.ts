import { isSkeinError } from '@skein/core';
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import type { BodyRecord, EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../../model/records.ts';
import { isEntry, recordKey } from '../records.ts';
import { hasPage, writePages } from './ancestor-pages.ts';
import type { Lane } from './lanes.ts';
import { BODY_COLUMNS, bodyRow, entryRow, nodeRow, otherRow, readBody, refRow, takeRow } from './rows.ts';
import type { BodyRow, EntryRow, NodeRow, OtherRow, PostgresTables, RefRow, TakeRow } from './schema.ts';
import { toTsVector } from './search.ts';
import { idBytes, toStored } from './values.ts';

/**
 * Writes a batch, usually in one statement and one round trip. Large batches, and those that complete an ancestor page,
 * use a transaction. Returns whether anything was new; undefined, and nothing is written, if the lane has another owner.
 */
export async function append(
  db: Kysely<PostgresTables>,
  project: string,
  lane: Lane,
  records: readonly StoreRecord[],
): Promise<boolean | undefined> {
  const parts = [...splitBatch(records)];
  const pages = records.filter((record): record is NodeRecord => record.k === 'node' && hasPage(record));
  const [only] = parts;
  if (only === undefined) return false;
  if (parts.length === 1 && pages.length === 0)
    return repeatOnConflict(() => write(db, project, lane, sortBatch(only)));
  return repeatOnConflict(() =>
    db.transaction().execute(async (transaction) => {
      let isNew = false;
      for (const part of parts) {
        // Only the first part can find another owner: it locks the row of the lane.
        const written = await write(transaction, project, lane, sortBatch(part));
        if (written === undefined) return undefined;
        isNew ||= written;
      }
      await writePages(
        transaction,
        project,
        pages.map(({ id }) => id),
      );
      return isNew;
    }),
  );
}

async function write(
  db: Kysely<PostgresTables>,
  project: string,
  { lane, owner }: Lane,
  batch: Batch,
): Promise<boolean | undefined> {
  const texts = await readBodyTexts(db, project, batch);
  const wordsRow = (node: NodeRecord) => ({
    project: toStored(project),
    id: idBytes(node.id),
    words: toTsVector(project, node, texts.get(node.body)),
  });
  const given = [
    fillInsert(BODY, batch.bodies, (body) => bodyRow(project, body)),
    fillInsert(NODE, batch.nodes, (node) => nodeRow(project, node)),
    fillInsert(WORDS, batch.nodes, wordsRow),
    fillInsert(TAKE, batch.takes, (take) => takeRow(project, take)),
    fillInsert(REF, batch.refs, (ref) => refRow(project, ref)),
    fillInsert(ENTRY, batch.entries, (entry) => entryRow(project, entry)),
    fillInsert(OTHER, batch.others, (other) => otherRow(project, other)),
  ].flat();
  const parameters = [toStored(project), lane, owner, ...given.flatMap((one) => one.parameters)];
  const text = insertsText(db as unknown as Kysely<never>, given);
  const { rows } = await db.executeQuery<{ held: string; written: string }>(CompiledQuery.raw(text, parameters));
  const { held, written } = rows[0]!;
  return held === '0' ? undefined : written !== '0';
}

/** An insert with its parameters. */
interface FilledInsert {
  readonly name: string;
  readonly statement: RawBuilder<unknown>;
  readonly parameters: readonly unknown[];
}

/** Empty if there are no records. */
function fillInsert<T, Row>(insert: Insert<Row>, records: readonly T[], toRow: (record: T) => Row): FilledInsert[] {
  const rows = records.map(toRow);
  if (rows.length === 0) return [];
  const { columns } = insert;
  const only = rows[0]!;
  if (rows.length === 1)
    return [{ name: `one_${insert.table}`, statement: insert.ofOne, parameters: columns.map((name) => only[name]) }];
  const parameters = columns.map((name) => rows.map((row) => row[name]));
  return [{ name: `new_${insert.table}`, statement: insert.ofMany, parameters }];
}

/** The texts of the batch's nodes, for the search index. Most of them are in the batch itself. */
async function readBodyTexts(db: Kysely<PostgresTables>, project: string, batch: Batch): Promise<Map<string, string>> {
  const texts = new Map(batch.bodies.map(({ digest, text }) => [digest, text]));
  const missing = batch.nodes.map(({ body }) => body).filter((digest) => !texts.has(digest));
  if (missing.length === 0) return texts;
  const rows = await db
    .selectFrom('skein_body')
    .select(BODY_COLUMNS)
    .where('project', '=', toStored(project))
    .where('digest', '=', sql<Buffer>`any(${missing.map(idBytes)}::bytea[])`)
    .execute();
  for (const { digest, text } of rows.map(readBody)) texts.set(digest, text);
  return texts;
}

const MOST_TRIES = 5;

async function repeatOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      // Nothing was written, so it can be repeated.
      if (tries === MOST_TRIES || !isSkeinError(error, 'store_conflict')) throw error;
    }
  }
}

/** Records by kind, each once. */
interface Batch {
  readonly nodes: readonly NodeRecord[];
  readonly bodies: readonly BodyRecord[];
  readonly takes: readonly TakeRecord[];
  readonly refs: readonly RefRecord[];
  readonly entries: readonly EntryRecord[];
  /** Records of unknown kinds. */
  readonly others: readonly StoreRecord[];
}

/**
 * Sorts the records of a batch by key, so that two writers with the same records do not deadlock. Nodes are sorted by
 * depth first, so that parents come before their children.
 */
function sortBatch(records: readonly StoreRecord[]): Batch {
  const kinds = {
    node: new Map<string, NodeRecord>(),
    body: new Map<string, BodyRecord>(),
    take: new Map<string, TakeRecord>(),
    ref: new Map<string, RefRecord>(),
    entry: new Map<string, EntryRecord>(),
    other: new Map<string, StoreRecord>(),
  };
  for (const record of records) {
    if (record.k === 'node') keepEarliest(kinds.node, record.id, record);
    else if (record.k === 'body') kinds.body.set(record.digest, record);
    else if (record.k === 'take') kinds.take.set(`${record.node}/${record.id}`, record);
    else if (record.k === 'ref') keepLatest(kinds.ref, recordKey(record), record);
    else if (isEntry(record)) keepLatest(kinds.entry, recordKey(record), record);
    else kinds.other.set(recordKey(record), record);
  }
  return {
    nodes: sorted(kinds.node).sort((a, b) => a.depth - b.depth),
    bodies: sorted(kinds.body),
    takes: sorted(kinds.take),
    refs: sorted(kinds.ref),
    entries: sorted(kinds.entry),
    others: sorted(kinds.other),
  };
}

/** Splits records into parts that fit into one statement. */
function* splitBatch(records: readonly StoreRecord[], most = 5000, largest = 16 * 2 ** 20): Generator<StoreRecord[]> {
  let part: StoreRecord[] = [];
  let size = 0;
  for (const record of records) {
    const length = record.k === 'body' ? record.text.length : 500;
    if (part.length > 0 && (part.length >= most || size + length > largest)) {
      yield part;
      part = [];
      size = 0;
    }
    part.push(record);
    size += length;
  }
  if (part.length > 0) yield part;
}

function sorted<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map.keys()].sort().map((key) => map.get(key)!);
}

/** As the statement does with a node that is there: the appends of several callers may be one batch. */
function keepEarliest<T extends { at: number }>(map: Map<string, T>, key: string, record: T): void {
  const there = map.get(key);
  if (!there || there.at > record.at) map.set(key, record);
}

function keepLatest<T extends { clock: string }>(map: Map<string, T>, key: string, record: T): void {
  const there = map.get(key);
  if (!there || there.clock < record.clock) map.set(key, record);
}

/** A column and its type in PostgreSQL. */
type Columns<Row> = {
  readonly [Name in keyof Row & string]: 'text' | 'bytea' | 'integer' | 'float8' | 'boolean' | 'tsvector';
};

/**
 * An `insert` of one row, or of any number: then each column is one array parameter. So the texts are always the same
 * and are prepared once. Both return one row per row written. With `isNumbered`, rows get the number of the append.
 */
function insertInto<Row>(
  table: string,
  columns: Columns<Row>,
  onConflict: RawBuilder<unknown>,
  isNumbered = true,
): Insert<Row> {
  const names = Object.keys(columns) as (keyof Row & string)[];
  const arrays = names.map((name) => sql`${[]}::${sql.raw(columns[name] === 'tsvector' ? 'text' : columns[name])}[]`);
  const picked = names.map((name) => sql`given.${sql.ref(name)}::${sql.raw(columns[name])}`);
  const values = names.map((name) => sql`${''}::${sql.raw(columns[name])}`);
  const listed = sql.join(names.map((name) => sql.ref(name)));
  const [numbers, drawn] = isNumbered ? [sql`, lane, n`, sql`, drawn.lane, drawn.n`] : [sql``, sql``];
  return {
    table,
    columns: names,
    ofOne: sql`insert into ${sql.table(table)} (${listed}${numbers})
      select ${sql.join(values)}${drawn} from drawn
      ${onConflict} returning 1`,
    ofMany: sql`insert into ${sql.table(table)} (${listed}${numbers})
      select ${sql.join(picked)}${drawn} from drawn cross join unnest(${sql.join(arrays)}) as given (${listed})
      ${onConflict} returning 1`,
  };
}

/** The parameters of its statements are the columns, in this order. */
interface Insert<Row> {
  readonly table: string;
  readonly columns: readonly (keyof Row & string)[];
  readonly ofOne: RawBuilder<unknown>;
  readonly ofMany: RawBuilder<unknown>;
}

const texts = new Map<string, string>();

/** The number of an append, if the lane is still the writer's. Without a number, the inserts have no rows. */
const DRAW = sql`update skein_lane set n = n + 1
  where project = ${''}::text and lane = ${0}::integer and owner = ${''}::text returning lane, n`;

/**
 * Several inserts as one statement that draws a number and counts the rows written. Its text is cached, because making it
 * costs more than sending it.
 */
function insertsText(db: Kysely<never>, inserts: readonly FilledInsert[]): string {
  const key = inserts.map(({ name }) => name).join();
  let text = texts.get(key);
  if (text === undefined) {
    const steps = inserts.map(({ name, statement }) => sql`${sql.ref(name)} as (${statement})`);
    // Counted one after the other, so that all writers lock in the same order.
    const counts = inserts.map(({ name }) => sql`(select count(*) from ${sql.table(name)})`);
    text = sql`with drawn as (${DRAW}), ${sql.join(steps)}
      select (select count(*) from drawn) as held, ${sql.join(counts, sql` + `)} as written`.compile(db).sql;
    texts.set(key, text);
  }
  return text;
}

/** Nodes, bodies and takes are named by their content, so an existing row is the same. */
const keepThere = sql`on conflict do nothing`;

/** Of two rows with the same key the later one counts, whichever is written first. */
function keepLater(table: string, key: readonly string[], values: readonly string[]): RawBuilder<unknown> {
  const set = [...values, 'clock', 'seq', 'lane', 'n'].map((name) => sql`${sql.ref(name)} = excluded.${sql.ref(name)}`);
  return sql`on conflict (${sql.join(key.map((name) => sql.ref(name)))}) do update set ${sql.join(set)}
    where ${sql.table(table)}.clock < excluded.clock`;
}

const BODY = insertInto<BodyRow>('skein_body', { project: 'text', digest: 'bytea', text: 'text' }, keepThere, false);
const NODE = insertInto<NodeRow>(
  'skein_node',
  {
    project: 'text',
    id: 'bytea',
    parent: 'bytea',
    depth: 'integer',
    dialect: 'text',
    body: 'bytea',
    echo: 'bytea',
    lead: 'bytea',
    role: 'text',
    at: 'float8',
    members: 'text',
  },
  // Its place in the order of writing stays, because parents come before their children there.
  sql`on conflict (project, id) do update set at = excluded.at, members = excluded.members
    where skein_node.at > excluded.at`,
);
const WORDS = insertInto<PostgresTables['skein_words']>(
  'skein_words',
  { project: 'text', id: 'bytea', words: 'tsvector' },
  keepThere,
  false,
);
const TAKE = insertInto<TakeRow>(
  'skein_take',
  { project: 'text', node: 'bytea', id: 'bytea', at: 'float8', members: 'text' },
  keepThere,
);
const REF = insertInto<RefRow>(
  'skein_ref',
  { project: 'text', on: 'text', key: 'text', name: 'text', clock: 'text', is_set: 'boolean', members: 'text' },
  keepLater('skein_ref', ['project', 'on', 'key', 'name'], ['is_set', 'members']),
);
const ENTRY = insertInto<EntryRow>(
  'skein_entry',
  { project: 'text', kind: 'text', id: 'text', of: 'text', order: 'text', clock: 'text', members: 'text' },
  keepLater('skein_entry', ['project', 'kind', 'id'], ['of', 'order', 'members']),
);
const OTHER = insertInto<OtherRow>('skein_other', { project: 'text', digest: 'text', record: 'text' }, keepThere);
