import { sql } from 'kysely';
import { limitOf } from '../page.ts';
import { hashFault } from '../record-fault.ts';
import type { Store } from '../store.ts';
import { ENTRY_COLUMNS, REF_COLUMNS, TAKE_COLUMNS } from './columns.ts';
import { type Context, readRows } from './context.ts';
import { pageOfRows, placeOf } from './cursor.ts';
import { readBody, readEntry, readRef, readTake } from './rows.ts';
import type { BodyRow, EntryRow, RefRow } from './schema.ts';
import { toStored } from './text.ts';

/** A text by its digest. What the database gives is no longer trusted than the disk it lies on. */
function readText(row: Pick<BodyRow, 'digest' | 'text'>): [digest: string, text: string] {
  const body = readBody(row);
  const fault = hashFault(body);
  if (fault !== undefined) throw new Error(fault);
  return [body.digest, body.text];
}

/** Everything that is not a node. */
export function thingReads(context: Context): Pick<Store, 'bodies' | 'takes' | 'refs' | 'entry' | 'entries'> {
  const { db, own } = context;
  const anyOf = (values: readonly string[]) => sql<string>`any(${values.map(toStored)})`;
  const readRefs = (rows: readonly Omit<RefRow, 'project' | 'is_set'>[]) =>
    readRows(context, rows, readRef, ({ on, key, name }) => `ref ${on}/${key}/${name}`);
  const readEntries = (rows: readonly Omit<EntryRow, 'project'>[]) =>
    readRows(context, rows, readEntry, ({ kind, id }) => `${kind} ${id}`);

  return {
    async bodies(digests) {
      if (digests.length === 0) return [];
      const rows = await db
        .selectFrom('skein_body')
        .select(['digest', 'text'])
        .where('project', '=', own)
        .where('digest', '=', anyOf(digests))
        .execute();
      const texts = new Map(readRows(context, rows, readText, ({ digest }) => `body ${digest}`, 'wrong-hash'));
      return digests.map((digest) => texts.get(digest));
    },
    async takes(nodes) {
      if (nodes.length === 0) return [];
      const rows = await db
        .selectFrom('skein_take')
        .select(TAKE_COLUMNS)
        .where('project', '=', own)
        .where('node', '=', anyOf(nodes))
        .orderBy('at')
        .orderBy('id')
        .execute();
      return readRows(context, rows, readTake, ({ id }) => `take ${id}`);
    },
    async refs({ on, keys, names, order = 'oldest', ...page }) {
      const place = placeOf(page, 3);
      const direction = order === 'oldest' ? 'asc' : 'desc';
      const beyond = sql.raw(order === 'oldest' ? '>' : '<');
      const rows = await db
        .selectFrom('skein_ref')
        .select(REF_COLUMNS)
        .where('project', '=', own)
        .where('on', '=', on)
        .where('is_set', '=', true)
        .$if(keys !== undefined, (query) => query.where('key', '=', anyOf(keys ?? [])))
        .$if(names !== undefined, (query) => query.where('name', '=', anyOf(names ?? [])))
        .$if(place !== undefined, (query) =>
          query.where(sql<boolean>`(clock, key, name) ${beyond} (${sql.join(place ?? [])})`),
        )
        .orderBy('clock', direction)
        .orderBy('key', direction)
        .orderBy('name', direction)
        .limit(limitOf(page) + 1)
        .execute();
      return pageOfRows(rows, page, readRefs, ({ clock, key, name }) => [clock, key, name]);
    },
    async entry(kind, id) {
      const rows = await db
        .selectFrom('skein_entry')
        .select(ENTRY_COLUMNS)
        .where('project', '=', own)
        .where('kind', '=', kind)
        .where('id', '=', toStored(id))
        .execute();
      return readEntries(rows)[0];
    },
    async entries(kind, { of, afterOrder, order = 'oldest', ...page } = {}) {
      const place = placeOf(page, 2);
      const [behind, sorted] = order === 'oldest' ? (['>', 'asc'] as const) : (['<', 'desc'] as const);
      const rows = await db
        .selectFrom('skein_entry')
        .select(ENTRY_COLUMNS)
        .where('project', '=', own)
        .where('kind', '=', kind)
        .$if(of !== undefined, (query) => query.where('of', '=', toStored(of ?? '')))
        .$if(afterOrder !== undefined, (query) => query.where('order', behind, toStored(afterOrder ?? '')))
        .$if(place !== undefined, (query) =>
          query.where(sql<boolean>`("order", id) ${sql.raw(behind)} (${sql.join(place ?? [])})`),
        )
        .orderBy('order', sorted)
        .orderBy('id', sorted)
        .limit(limitOf(page) + 1)
        .execute();
      return pageOfRows(rows, page, readEntries, ({ order, id }) => [order, id]);
    },
  };
}
