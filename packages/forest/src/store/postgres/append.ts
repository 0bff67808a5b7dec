import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NodeRecord, StoreRecord } from '../../model/index.ts';
import { StoreError } from '../store-error.ts';
import { type Batch, batchOf, partsOf } from './batch.ts';
import { type Columns, insertRows, keepLater, keepThere } from './insert.ts';
import { hasPage, writePages } from './pages.ts';
import { bodyRow, entryRow, nodeRow, otherRow, refRow, takeRow } from './rows.ts';
import type { EntryRow, NodeRow, OtherRow, RefRow, Tables, TakeRow } from './schema.ts';
import { fromStored, toStored } from './text.ts';
import { vectorOf } from './words.ts';

/**
 * Writes a batch: usually one statement, which is a transaction of its own and one round trip. Batches that are too
 * large for one, or that complete an ancestor page, get a transaction. Whether anything was new.
 */
export async function append(db: Kysely<Tables>, project: string, records: readonly StoreRecord[]): Promise<boolean> {
  const parts = [...partsOf(records)];
  const pages = records.filter((record): record is NodeRecord => record.k === 'node' && hasPage(record));
  const [only] = parts;
  if (only === undefined) return false;
  if (parts.length === 1 && pages.length === 0) return repeatOnConflict(() => write(db, project, batchOf(only)));
  return repeatOnConflict(() =>
    db.transaction().execute(async (transaction) => {
      let isNew = false;
      for (const part of parts) isNew = (await write(transaction, project, batchOf(part))) || isNew;
      await writePages(
        transaction,
        project,
        pages.map(({ id }) => id),
      );
      return isNew;
    }),
  );
}

async function write(db: Kysely<Tables>, project: string, batch: Batch): Promise<boolean> {
  const texts = await textsOf(db, project, batch);
  const rows = {
    bodies: batch.bodies.map((body) => bodyRow(project, body)),
    nodes: batch.nodes.map((node) => nodeRow(project, node)),
    words: batch.nodes.map((node) => ({
      project: toStored(project),
      id: toStored(node.id),
      words: vectorOf(project, node, texts.get(node.body)),
    })),
    takes: batch.takes.map((take) => takeRow(project, take)),
    refs: batch.refs.map((ref) => refRow(project, ref)),
    entries: batch.entries.map((entry) => entryRow(project, entry)),
    others: batch.others.map((other) => otherRow(project, other)),
  };
  const inserts: [string, readonly unknown[], RawBuilder<unknown>][] = [
    ['new_bodies', rows.bodies, insertRows('skein_body', BODY, rows.bodies, keepThere)],
    ['new_nodes', rows.nodes, insertRows('skein_node', NODE, rows.nodes, keepThere)],
    ['new_words', rows.words, insertRows('skein_words', WORDS, rows.words, keepThere)],
    ['new_takes', rows.takes, insertRows('skein_take', TAKE, rows.takes, keepThere)],
    ['new_refs', rows.refs, insertRows('skein_ref', REF, rows.refs, LATER_REF)],
    ['new_entries', rows.entries, insertRows('skein_entry', ENTRY, rows.entries, LATER_ENTRY)],
    ['new_others', rows.others, insertRows('skein_other', OTHER, rows.others, keepThere)],
  ];
  const given = inserts.filter(([, list]) => list.length > 0);
  const steps = given.map(([name, , insert]) => sql`${sql.ref(name)} as (${insert})`);
  // Asked for one after the other, so that all writers lock in the same order.
  const counts = given.map(([name]) => sql`(select count(*) from ${sql.table(name)})`);
  const { rows: found } = await sql<{ written: string }>`
    with ${sql.join(steps)} select ${sql.join(counts, sql` + `)} as written`.execute(db);
  return found[0]?.written !== '0';
}

/** The texts of the nodes, for the search; most are in the batch itself. */
async function textsOf(db: Kysely<Tables>, project: string, batch: Batch): Promise<Map<string, string>> {
  const texts = new Map(batch.bodies.map(({ digest, text }) => [digest, text]));
  const missing = batch.nodes.map(({ body }) => body).filter((digest) => !texts.has(digest));
  if (missing.length === 0) return texts;
  const rows = await db
    .selectFrom('skein_body')
    .select(['digest', 'text'])
    .where('project', '=', toStored(project))
    .where('digest', '=', sql<string>`any(${missing.map(toStored)})`)
    .execute();
  for (const { digest, text } of rows) texts.set(fromStored(digest), fromStored(text));
  return texts;
}

const MOST_TRIES = 5;

async function repeatOnConflict<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      // Nothing of it was written.
      if (tries === MOST_TRIES || !(error instanceof StoreError) || error.code !== 'store_conflict') throw error;
    }
  }
}

const BODY: Columns<ReturnType<typeof bodyRow>> = { project: 'text', digest: 'text', text: 'text' };
const NODE: Columns<NodeRow> = {
  project: 'text',
  id: 'text',
  parent: 'text',
  depth: 'integer',
  dialect: 'text',
  body: 'text',
  echo: 'text',
  lead: 'text',
  role: 'text',
  at: 'float8',
  rest: 'text',
};
const WORDS: Columns<Tables['skein_words']> = { project: 'text', id: 'text', words: 'tsvector' };
const TAKE: Columns<TakeRow> = { project: 'text', node: 'text', id: 'text', at: 'float8', rest: 'text' };
const REF: Columns<RefRow> = {
  project: 'text',
  on: 'text',
  key: 'text',
  name: 'text',
  clock: 'text',
  is_set: 'boolean',
  rest: 'text',
};
const ENTRY: Columns<EntryRow> = {
  project: 'text',
  kind: 'text',
  id: 'text',
  of: 'text',
  order: 'text',
  clock: 'text',
  rest: 'text',
};
const OTHER: Columns<OtherRow> = { project: 'text', digest: 'text', record: 'text' };
const LATER_REF = keepLater('skein_ref', ['project', 'on', 'key', 'name'], ['is_set', 'rest']);
const LATER_ENTRY = keepLater('skein_entry', ['project', 'kind', 'id'], ['of', 'order', 'rest']);
