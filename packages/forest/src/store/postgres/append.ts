import { isSkeinError } from '@skein/core';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { NodeRecord, StoreRecord } from '../../model/index.ts';
import { type Batch, batchOf, partsOf } from './batch.ts';
import { type Insert, insertsText } from './insert.ts';
import { BODY, ENTRY, NODE, OTHER, REF, TAKE, WORDS } from './inserts.ts';
import { hasPage, writePages } from './pages.ts';
import { bodyRow, entryRow, nodeRow, otherRow, refRow, takeRow } from './rows.ts';
import type { Tables } from './schema.ts';
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
  const wordsRow = (node: NodeRecord) => ({
    project: toStored(project),
    id: toStored(node.id),
    words: vectorOf(project, node, texts.get(node.body)),
  });
  const given = [
    filled(BODY, batch.bodies, (body) => bodyRow(project, body)),
    filled(NODE, batch.nodes, (node) => nodeRow(project, node)),
    filled(WORDS, batch.nodes, wordsRow),
    filled(TAKE, batch.takes, (take) => takeRow(project, take)),
    filled(REF, batch.refs, (ref) => refRow(project, ref)),
    filled(ENTRY, batch.entries, (entry) => entryRow(project, entry)),
    filled(OTHER, batch.others, (other) => otherRow(project, other)),
  ].flat();
  const parameters = given.flatMap((one) => one.parameters);
  const text = insertsText(
    db as unknown as Kysely<never>,
    given.map((one) => one.insert),
  );
  const { rows } = await db.executeQuery<{ written: string }>(CompiledQuery.raw(text, parameters));
  return rows[0]?.written !== '0';
}

/** An insert with its parameters; none when there is nothing to insert. */
function filled<T, Row>(insert: Insert<Row>, records: readonly T[], toRow: (record: T) => Row) {
  return records.length === 0 ? [] : [{ insert, parameters: insert.parameters(records.map(toRow)) }];
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
      if (tries === MOST_TRIES || !isSkeinError(error, 'store_conflict')) throw error;
    }
  }
}
