import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useDatabase } from '../../../test/postgres/use-database.ts';
import { sha256 } from '../../model/ids.ts';
import type { StoreRecord } from '../../model/records.ts';
import { makeBody, makeEntry, makeNode, makePath, makeRef, makeTake } from '../../testing/store-samples.ts';
import {
  BODY_COLUMNS,
  bodyRow,
  ENTRY_COLUMNS,
  entryRow,
  NODE_COLUMNS,
  nodeColumnsOf,
  nodeRow,
  OTHER_COLUMNS,
  otherRow,
  REF_COLUMNS,
  type ReadNode,
  readBody,
  readEntry,
  readNode,
  readOther,
  readRef,
  readTake,
  refRow,
  TAKE_COLUMNS,
  takeRow,
} from './rows.ts';

const used = useDatabase();

const ODD = 'a lone \ud800, a null \0, an escape \u001b';
const NUMBERED = { lane: 0, n: '0' };

test('a record that was written in its row is read as it was, with members that nobody knows', async () => {
  const { db, project } = await used.openContext();
  const later = { later: { x: [1, null, ODD] } };

  const [above, below] = makePath(['above', 'below']);
  const nodes = [above!, below!].map(({ node }) => ({ ...node, ...later, dialect: ODD }));
  await db
    .insertInto('skein_node')
    .values(nodes.map((node) => ({ ...nodeRow(project, node), ...NUMBERED })))
    .execute();
  const nodeRows = await db.selectFrom('skein_node').select(NODE_COLUMNS).orderBy('depth').execute();
  expect(nodeRows.map(readNode)).toEqual(nodes);
  const { rows } =
    await sql<ReadNode>`select ${nodeColumnsOf('other')} from skein_node as other order by depth`.execute(db);
  expect(rows.map(readNode)).toEqual(nodes);
  expect(await db.selectFrom('skein_node').select('role').distinct().execute()).toEqual([{ role: 'user' }]);

  const body = makeBody(ODD);
  await db.insertInto('skein_body').values(bodyRow(project, body)).execute();
  expect((await db.selectFrom('skein_body').select(BODY_COLUMNS).execute()).map(readBody)).toEqual([body]);

  const take = { ...makeTake(above!.node, 5), ...later };
  await db
    .insertInto('skein_take')
    .values({ ...takeRow(project, take), ...NUMBERED })
    .execute();
  expect((await db.selectFrom('skein_take').select(TAKE_COLUMNS).execute()).map(readTake)).toEqual([take]);

  const refs = [
    { ...makeRef(ODD, `name ${ODD}`, { a: ODD }, '1'), ...later },
    makeRef('unset', `name ${ODD}`, null, '2', 'forest'),
  ];
  await db
    .insertInto('skein_ref')
    .values(refs.map((ref) => ({ ...refRow(project, ref), ...NUMBERED })))
    .execute();
  const refRows = await db
    .selectFrom('skein_ref')
    .select([...REF_COLUMNS, 'is_set'])
    .orderBy('clock')
    .execute();
  expect(refRows.map(readRef)).toEqual(refs);
  expect(refRows.map((row) => row.is_set)).toEqual([true, false]);

  // The members of an exchange are packed with its id, those of others without.
  const id = `${(1_700_000_000_000).toString(36).padStart(9, '0')}.x`;
  const entries = (['exchange', 'event'] as const).map((k, at) => ({
    ...makeEntry(id, { k, of: ODD, order: `${at} ${ODD}`, clock: '1', data: { id, start: 1_700_000_000_000, ODD } }),
    ...later,
  }));
  await db
    .insertInto('skein_entry')
    .values(entries.map((entry) => ({ ...entryRow(project, entry), ...NUMBERED })))
    .execute();
  const entryRows = await db.selectFrom('skein_entry').select(ENTRY_COLUMNS).orderBy('order').execute();
  expect(entryRows.map(readEntry)).toEqual(entries);
  // An exchange knows its own id.
  expect(entryRows[0]!.members.length).toBeLessThan(entryRows[1]!.members.length);

  const other = { k: 'of later', id: 'x', ...later } as unknown as StoreRecord;
  await db
    .insertInto('skein_other')
    .values({ ...otherRow(project, other), ...NUMBERED })
    .execute();
  const otherRows = await db.selectFrom('skein_other').select(OTHER_COLUMNS).execute();
  expect(otherRows.map(readOther)).toEqual([other]);
  expect(otherRows[0]!.digest).toBe(sha256(JSON.stringify(other)));
});

test('a row belongs to its project, whatever the name of that', () => {
  const { node, body } = makeNode('a');
  const rows = [
    nodeRow(ODD, node),
    bodyRow(ODD, body),
    takeRow(ODD, makeTake(node, 1)),
    refRow(ODD, makeRef('a', 'b', 1, '1')),
    entryRow(ODD, makeEntry('e')),
    otherRow(ODD, node),
  ];
  for (const { project } of rows) expect(project).toBe('a lone \u001bd800, a null \u001b0000, an escape \u001b001b');
});

test('a row whose members are no object is an error, not a record', () => {
  const row = { id: '', parent: '', body: '', echo: '', lead: '', depth: 1, dialect: '', at: 1 };
  for (const members of ['null', '1', '"text"'])
    expect(() => readNode({ ...row, members } as ReadNode), members).toThrow('not an object');
});
