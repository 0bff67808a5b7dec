import { type Generated, type Kysely, type Migration, Migrator, sql } from 'kysely';
import { StoreError } from '../store.ts';
import type { Target } from './connect.ts';
import { partitionEntries } from './months.ts';

/** The tables for kysely. Every row belongs to a project; `seq` is the order of writing. */
export interface PostgresTables {
  skein_node: NodeRow & Written;
  skein_page: { project: string; id: Buffer; above: Buffer; ids: Buffer[] };
  skein_words: { project: string; id: Buffer; words: string };
  skein_body: BodyRow;
  skein_take: TakeRow & Written;
  skein_ref: RefRow & Written;
  skein_entry: EntryRow & Written;
  /** Records of unknown kinds, by the SHA-256 of their JSON text. */
  skein_other: OtherRow & Written;
  /** Who appends, and the number of the last append. */
  skein_lane: { project: string; lane: number; owner: string; n: string };
  skein_writer: { project: string; writer: string; beat: Date };
  skein_era: { project: string; era: number };
  skein_fact: { project: string; key: string; value: Buffer };
  skein_fact_version: { project: string; version: string; state: string };
}

/** The order of writing, and the number in the lane of its writer, by which readers find what they have not seen (lanes.ts). */
interface Written {
  seq: Generated<string>;
  lane: number;
  n: string;
}

/** Ids and digests are bytes (values.ts). `members` is the JSON text of all members of a record without a column, packed (members.ts). */
export interface NodeRow {
  project: string;
  id: Buffer;
  parent: Buffer;
  depth: number;
  dialect: string;
  body: Buffer;
  echo: Buffer;
  lead: Buffer;
  role: string;
  at: number;
  members: string;
}

export interface BodyRow {
  project: string;
  digest: Buffer;
  text: string;
}

export interface TakeRow {
  project: string;
  node: Buffer;
  id: Buffer;
  at: number;
  members: string;
}

export interface RefRow {
  project: string;
  on: string;
  key: string;
  name: string;
  clock: string;
  /** Whether its value is not null. */
  is_set: boolean;
  members: string;
}

export interface EntryRow {
  project: string;
  kind: string;
  id: string;
  of: string;
  order: string;
  clock: string;
  members: string;
}

export interface OtherRow {
  project: string;
  digest: string;
  record: string;
}

/**
 * Upgrades the tables to the newest version. Any number of servers may do so at once: an advisory lock lets one of them
 * do the work.
 */
export async function migrate(db: Kysely<never>, target: Target): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableName: 'skein_migration',
    migrationLockTableName: 'skein_migration_lock',
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (error instanceof Error && error.message.startsWith('corrupted migrations'))
    throw new StoreError(
      'store_read_only',
      `PostgreSQL at ${target.name}: its tables were made by a newer version of Skein. Upgrade this one`,
    );
  throw error;
}

/**
 * A released migration never changes what it leads to; changes need a new one. What the first
 * ones had and later ones dropped, an empty database no longer gets: a column `xid` of a type that not every engine has, facts and
 * ids as text. Keys are compared by bytes (`collate "C"`), as in the other stores. Every key and every index begins with the project, so that tables can be partitioned by it.
 */
const MIGRATIONS: Record<string, Migration> = {
  '001': {
    async up(db: Kysely<never>) {
      for (const statement of FIRST) await sql.raw(statement).execute(db);
    },
  },
  '002': {
    async up(db: Kysely<never>) {
      for (const statement of FACTS) await sql.raw(statement).execute(db);
    },
  },
  '003': { up: partitionEntries },
  '004': {
    async up(db: Kysely<never>) {
      for (const statement of LANES) await sql.raw(statement).execute(db);
    },
  },
  '005': {
    async up(db: Kysely<never>) {
      for (const statement of SMALLER) await sql.raw(statement).execute(db);
      if (await isText(db, 'skein_fact', 'value')) await sql.raw(PACKED_FACTS).execute(db);
    },
  },
  '006': {
    async up(db: Kysely<never>) {
      for (const statement of PLACEMENTS) await sql.raw(statement).execute(db);
      if (await isText(db, 'skein_node', 'id')) for (const statement of BYTES) await sql.raw(statement).execute(db);
    },
  },
};

async function isText(db: Kysely<never>, table: string, column: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and column_name = ${column} and data_type = 'text'
  `.execute(db);
  return rows.length > 0;
}

const KEY = 'text collate "C" not null';
const ID = 'bytea not null';
/** Columns of a fixed size come first: behind a text they are aligned, which costs some bytes in each row. */
const WRITTEN =
  "seq bigint not null default nextval('skein_seq'), n bigint not null default 0, lane integer not null default 0";

const FIRST = [
  'create sequence skein_seq',
  `create table skein_node (
    at double precision not null, ${WRITTEN}, depth integer not null, project ${KEY}, id ${ID}, parent ${ID}, body ${ID},
    echo ${ID}, lead ${ID}, dialect text not null, role text not null, members text not null,
    primary key (project, id))`,
  'create index skein_node_parent on skein_node (project, parent, at, id)',
  'create index skein_node_echo on skein_node (project, echo, lead, depth, at)',
  'create index skein_node_seq on skein_node (project, seq)',
  `create table skein_page (project ${KEY}, id ${ID}, above ${ID}, ids bytea[] not null, primary key (project, id))`,
  `create table skein_words (project ${KEY}, id ${ID}, words tsvector not null, primary key (project, id))`,
  'create index skein_words_words on skein_words using gin (words)',
  `create table skein_body (project ${KEY}, digest ${ID}, text text not null, primary key (project, digest))`,
  `create table skein_take (
    at double precision not null, ${WRITTEN}, project ${KEY}, node ${ID}, id ${ID}, members text not null,
    primary key (project, node, id))`,
  `create table skein_ref (
    ${WRITTEN}, is_set boolean not null, project ${KEY}, "on" ${KEY}, key ${KEY}, name ${KEY}, clock ${KEY},
    members text not null, primary key (project, "on", key, name))`,
  'create index skein_ref_name on skein_ref (project, "on", name, clock)',
  `create table skein_entry (
    ${WRITTEN}, project ${KEY}, kind ${KEY}, id ${KEY}, "of" ${KEY}, "order" ${KEY}, clock ${KEY}, members text not null,
    primary key (project, kind, id))`,
  `create table skein_other (project ${KEY}, digest ${KEY}, record text not null, ${WRITTEN}, primary key (project, digest))`,
  `create table skein_writer (project ${KEY}, writer ${KEY}, beat timestamptz not null, primary key (project, writer))`,
  `create table skein_era (project ${KEY}, era integer not null, primary key (project))`,
  // For a project that is not in its statistics, PostgreSQL assumes hardly any rows, chooses any index that begins with
  // the project, and reads all of it. Without statistics it assumes projects of medium size.
  ...['node', 'page', 'words', 'body', 'take', 'ref', 'entry', 'other', 'writer', 'era'].map(
    (table) => `alter table skein_${table} alter column project set statistics 0`,
  ),
];

/** Facts that are derived from records: where a recorder places the next exchange. */
const FACTS = [
  `create table skein_fact (project ${KEY}, key ${KEY}, value bytea not null, primary key (project, key))`,
  `create table skein_fact_version (
    project ${KEY}, version text not null, state text not null, primary key (project))`,
  ...['fact', 'fact_version'].map((table) => `alter table skein_${table} alter column project set statistics 0`),
];

const CHANGING = ['node', 'take', 'ref', 'entry', 'other'];

/**
 * Lanes in place of transaction numbers, which distributed engines do not have. Rows that are there count as read by
 * everybody who reads changes from now on. Without a default, a server of an older version that still runs fails, instead
 * of writing what no reader would be told of. Nodes are scanned by depth, so that no order of numbers is needed.
 */
const LANES = [
  `create table skein_lane (
    project ${KEY}, lane integer not null, owner ${KEY}, n bigint not null, primary key (project, lane))
    with (fillfactor = 50)`,
  'alter table skein_lane alter column project set statistics 0',
  ...CHANGING.flatMap((table) => [
    // With its index.
    `alter table skein_${table} drop column if exists xid`,
    `alter table skein_${table} add column if not exists lane integer not null default 0`,
    `alter table skein_${table} add column if not exists n bigint not null default 0`,
    `alter table skein_${table} alter column lane drop default, alter column n drop default`,
    `create index skein_${table}_lane on skein_${table} (project, lane, n)`,
  ]),
  'alter table skein_body drop column if exists xid, drop column if exists seq',
  'drop index skein_node_seq',
  'create index skein_node_depth on skein_node (project, depth, seq)',
];

/**
 * Less space for each recorded exchange. Children and entries that share a position are sorted when they are read, so those
 * indexes need no id. Exchanges are listed as such or by the exchange that they are part of, never in one order of all:
 * pages of all of them follow the primary key. Values of facts are packed (facts.ts); those that are there stay as they are.
 */
const SMALLER = [
  'drop index skein_node_parent',
  'create index skein_node_parent on skein_node (project, parent, at)',
  'drop index skein_entry_of',
  'create index skein_entry_of on skein_entry (project, kind, "of", "order")',
  'drop index skein_entry_order',
  `create index skein_entry_order on skein_entry (project, kind, "order", id) where kind <> 'exchange'`,
];

/** For tables that exist. */
const PACKED_FACTS = `alter table skein_fact alter column value type bytea using convert_to(value, 'UTF8')`;

/** Where exchanges were placed is looked up by the exchange, and never listed in the order of writing. */
const PLACEMENTS = [
  'drop index skein_ref_name',
  `create index skein_ref_name on skein_ref (project, "on", name, clock) where name <> 'landed'`,
];

/**
 * For tables that exist: ids and digests become bytes, as values.ts writes them. Members of records stay as they are: what is not
 * packed is read, too. The column has another name, so that a server of an older version that still runs fails, instead of taking
 * what is packed for damaged.
 */
const BYTES = [
  `create function pg_temp.skein_text(text) returns bytea language sql immutable as $$
    select decode(repeat('00', 33), 'hex') || convert_to($1, 'UTF8') $$`,
  `create function pg_temp.skein_id(text) returns bytea language sql immutable as $$
    select case when $1 = repeat('0', 40) then ''::bytea
      when $1 ~ '^([0-9a-f][0-9a-f]){1,32}$' then decode($1, 'hex') else pg_temp.skein_text($1) end $$`,
  `create function pg_temp.skein_echo(text) returns bytea language sql immutable as $$
    select case when $1 ~ '^[0-9]:[0-9a-f]{32}$' then decode('0' || replace($1, ':', ''), 'hex')
      else pg_temp.skein_text($1) end $$`,
  `create function pg_temp.skein_ids(text[]) returns bytea[] language sql immutable as $$
    select array_agg(pg_temp.skein_id(listed.id) order by listed.at) from unnest($1) with ordinality as listed (id, at) $$`,
  ...Object.entries({
    node: ['id', 'parent', 'body', 'lead'],
    page: ['id', 'above'],
    words: ['id'],
    body: ['digest'],
    take: ['node', 'id'],
  }).map(([table, columns]) => {
    const changed = columns.map((column) => toBytes(column, 'bytea', 'skein_id'));
    if (table === 'node') changed.push(toBytes('echo', 'bytea', 'skein_echo'));
    if (table === 'page') changed.push(toBytes('ids', 'bytea[]', 'skein_ids'));
    return `alter table skein_${table} ${changed.join(', ')}`;
  }),
  ...['node', 'take', 'ref', 'entry'].map((table) => `alter table skein_${table} rename column rest to members`),
  ...['ids(text[])', 'echo(text)', 'id(text)', 'text(text)'].map((name) => `drop function pg_temp.skein_${name}`),
];

function toBytes(column: string, type: string, by: string): string {
  return `alter column ${column} type ${type} using pg_temp.${by}(${column})`;
}
