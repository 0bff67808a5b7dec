/** Tables as earlier versions made them, from the history of `schema.ts`, and rows as those versions wrote them. */
import type { StoreRecord } from '@skein/forest/store';
import { toTsVector } from '../../src/store/postgres/search.ts';
import { isEntry, recordKey } from '../../src/store/records.ts';
import type { Database } from './database.ts';

/** The newest migration that the tables have: see `schema.ts`. */
export const OLDER_VERSIONS = ['001', '002', '003', '004', '005'] as const;
export type OlderVersion = (typeof OLDER_VERSIONS)[number];

const KEY = 'text collate "C" not null';
const WRITTEN = "seq bigint not null default nextval('skein_seq'), xid xid8 not null default pg_current_xact_id()";
const CHANGING = ['node', 'take', 'ref', 'entry', 'other'];

const FIRST = [
  'create sequence skein_seq',
  `create table skein_node (
    project ${KEY}, id ${KEY}, parent ${KEY}, depth integer not null, dialect text not null, body ${KEY}, echo ${KEY},
    lead ${KEY}, role text not null, at double precision not null, rest text not null, ${WRITTEN},
    primary key (project, id))`,
  'create index skein_node_parent on skein_node (project, parent, at, id)',
  'create index skein_node_echo on skein_node (project, echo, lead, depth, at)',
  'create index skein_node_seq on skein_node (project, seq)',
  `create table skein_page (project ${KEY}, id ${KEY}, above ${KEY}, ids text[] not null, primary key (project, id))`,
  `create table skein_words (project ${KEY}, id ${KEY}, words tsvector not null, primary key (project, id))`,
  'create index skein_words_words on skein_words using gin (words)',
  `create table skein_body (project ${KEY}, digest ${KEY}, text text not null, ${WRITTEN}, primary key (project, digest))`,
  `create table skein_take (
    project ${KEY}, node ${KEY}, id ${KEY}, at double precision not null, rest text not null, ${WRITTEN},
    primary key (project, node, id))`,
  `create table skein_ref (
    project ${KEY}, "on" ${KEY}, key ${KEY}, name ${KEY}, clock ${KEY}, is_set boolean not null, rest text not null,
    ${WRITTEN}, primary key (project, "on", key, name))`,
  'create index skein_ref_name on skein_ref (project, "on", name, clock)',
  `create table skein_entry (
    project ${KEY}, kind ${KEY}, id ${KEY}, "of" ${KEY}, "order" ${KEY}, clock ${KEY}, rest text not null, ${WRITTEN},
    primary key (project, kind, id))`,
  'create index skein_entry_of on skein_entry (project, kind, "of", "order", id)',
  'create index skein_entry_order on skein_entry (project, kind, "order", id)',
  `create table skein_other (project ${KEY}, digest ${KEY}, record text not null, ${WRITTEN}, primary key (project, digest))`,
  ...CHANGING.map((table) => `create index skein_${table}_xid on skein_${table} (project, xid)`),
  `create table skein_writer (project ${KEY}, writer ${KEY}, beat timestamptz not null, primary key (project, writer))`,
  `create table skein_era (project ${KEY}, era integer not null, primary key (project))`,
  ...['node', 'page', 'words', 'body', 'take', 'ref', 'entry', 'other', 'writer', 'era'].map(
    (table) => `alter table skein_${table} alter column project set statistics 0`,
  ),
];

const FACTS = [
  `create table skein_fact (project ${KEY}, key ${KEY}, value text not null, primary key (project, key))`,
  `create table skein_fact_version (project ${KEY}, version text not null, state text not null, primary key (project))`,
];

const PARTITIONS = [
  'alter table skein_entry rename to skein_entry_rest',
  ...['pkey', 'of', 'order', 'xid'].map((name) => `alter index skein_entry_${name} rename to skein_entry_rest_${name}`),
  'create table skein_entry (like skein_entry_rest including defaults) partition by range (project, kind, id)',
  'alter table skein_entry add primary key (project, kind, id)',
  'create index skein_entry_of on skein_entry (project, kind, "of", "order", id)',
  'create index skein_entry_order on skein_entry (project, kind, "order", id)',
  'create index skein_entry_xid on skein_entry (project, xid)',
  'alter table skein_entry attach partition skein_entry_rest default',
];

const LANES = [
  `create table skein_lane (
    project ${KEY}, lane integer not null, owner ${KEY}, n bigint not null, primary key (project, lane))
    with (fillfactor = 50)`,
  ...CHANGING.flatMap((table) => [
    `drop index skein_${table}_xid`,
    `alter table skein_${table} drop column xid, add column lane integer not null default 0, add column n bigint not null default 0`,
    `alter table skein_${table} alter column lane drop default, alter column n drop default`,
    `create index skein_${table}_lane on skein_${table} (project, lane, n)`,
  ]),
  'alter table skein_body drop column xid, drop column seq',
  'drop index skein_node_seq',
  'create index skein_node_depth on skein_node (project, depth, seq)',
];

const SMALLER = [
  'drop index skein_node_parent',
  'create index skein_node_parent on skein_node (project, parent, at)',
  'drop index skein_entry_of',
  'create index skein_entry_of on skein_entry (project, kind, "of", "order")',
  'drop index skein_entry_order',
  `create index skein_entry_order on skein_entry (project, kind, "order", id) where kind <> 'exchange'`,
  "alter table skein_fact alter column value type bytea using convert_to(value, 'UTF8')",
];

const STEPS: Readonly<Record<OlderVersion, readonly string[]>> = {
  '001': FIRST,
  '002': FACTS,
  '003': PARTITIONS,
  '004': LANES,
  '005': SMALLER,
};

export async function createOlderTables(database: Database, version: OlderVersion): Promise<void> {
  await database.query('create table skein_migration (name varchar(255) primary key, timestamp varchar(255) not null)');
  await database.query(
    'create table skein_migration_lock (id varchar(255) primary key, is_locked integer not null default 0)',
  );
  await database.query("insert into skein_migration_lock values ('migration_lock', 0)");
  for (const step of OLDER_VERSIONS.filter((one) => one <= version)) {
    for (const statement of STEPS[step]) await database.query(statement);
    await database.query('insert into skein_migration values ($1, $2)', [step, new Date().toISOString()]);
  }
}

/** Records as rows of such tables: of several with the same key the last one. */
export async function insertOlderRows(
  database: Database,
  version: OlderVersion,
  project: string,
  records: readonly StoreRecord[],
): Promise<void> {
  const latest = new Map(records.map((record) => [`${record.k} ${recordKey(record)}`, record]));
  const texts = new Map(records.flatMap((record) => (record.k === 'body' ? [[record.digest, record.text]] : [])));
  const nodes = new Map(records.flatMap((record) => (record.k === 'node' ? [[record.id, record]] : [])));
  const insert = async (table: string, row: Readonly<Record<string, unknown>>) => {
    const isNumbered = version >= '004' && CHANGING.includes(table);
    const all = { project, ...row, ...(isNumbered && { lane: 1, n: 1 }) };
    const names = Object.keys(all).map((name) => `"${name}"`);
    const places = names.map((_, at) => `$${at + 1}`);
    await database.query(`insert into skein_${table} (${names}) values (${places})`, Object.values(all));
  };
  for (const record of latest.values()) {
    if (record.k === 'node') {
      const { k: _, id, parent, depth, dialect, body, echo, lead, at, ...rest } = record;
      const role = record.facts.role;
      await insert('node', { id, parent, depth, dialect, body, echo, lead, role, at, rest: JSON.stringify(rest) });
      await insert('words', { id, words: toTsVector(project, record, texts.get(body)) });
      if (depth % 64 === 0) {
        const above = [record];
        for (let node = nodes.get(parent); node && above.length <= 64; node = nodes.get(node.parent)) above.push(node);
        await insert('page', { id, ids: above.slice(1, 64).map((node) => node.id), above: above[63]!.parent });
      }
    } else if (record.k === 'body') {
      await insert('body', { digest: record.digest, text: record.text });
    } else if (record.k === 'take') {
      const { k: _, id, node, at, ...rest } = record;
      await insert('take', { id, node, at, rest: JSON.stringify(rest) });
    } else if (record.k === 'ref') {
      const { k: _, on, key, name, clock, ...rest } = record;
      await insert('ref', { on, key, name, clock, is_set: record.value !== null, rest: JSON.stringify(rest) });
    } else if (isEntry(record)) {
      const { k: kind, id, of, order, clock, ...rest } = record;
      await insert('entry', { kind, id, of, order, clock, rest: JSON.stringify(rest) });
    }
  }
  if (version >= '004') await insert('lane', { lane: 1, owner: '', n: 1 });
}
