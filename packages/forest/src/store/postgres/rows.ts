import { sql } from 'kysely';
import { sha256 } from '../../model/ids.ts';
import type { BodyRecord, EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../../model/records.ts';
import { packMembers, unpackMembers } from './members.ts';
import type { BodyRow, EntryRow, NodeRow, OtherRow, RefRow, TakeRow } from './schema.ts';
import { echoBytes, fromStored, idBytes, readEcho, readId, toStored } from './values.ts';

// Columns hold what queries need; all other members of a record, also those of later versions, are in `members`.
// JSON.stringify escapes what PostgreSQL's text cannot hold. Columns of bytes are read as their hexadecimal digits.

function digits<Name extends string>(table: string, name: Name) {
  return sql<string>`encode(${sql.ref(`${table}.${name}`)}, 'hex')`.as(name);
}

const NODE_IDS = ['id', 'parent', 'body', 'echo', 'lead'] as const;
const NODE_MORE = ['depth', 'dialect', 'at', 'members'] as const;

/**
 * The columns that a record is read from, listed one by one, because a later migration may add columns while this code
 * runs.
 */
export const NODE_COLUMNS = [...NODE_IDS.map((name) => digits('skein_node', name)), ...NODE_MORE];
export const BODY_COLUMNS = [digits('skein_body', 'digest'), 'text'] as const;
export const OTHER_COLUMNS = ['digest', 'record'] as const;
export const TAKE_COLUMNS = [digits('skein_take', 'id'), digits('skein_take', 'node'), 'at', 'members'] as const;
export const REF_COLUMNS = ['on', 'key', 'name', 'clock', 'members'] as const;
export const ENTRY_COLUMNS = ['kind', 'id', 'of', 'order', 'clock', 'members'] as const;

/** The columns of a node in a statement that names its table otherwise. */
export function nodeColumnsOf(table: string) {
  return sql.join([
    ...NODE_IDS.map((name) => digits(table, name)),
    ...NODE_MORE.map((name) => sql.ref(`${table}.${name}`)),
  ]);
}

/** A row as it is read: bytes are hexadecimal digits. */
type Read<Row> = {
  readonly [Name in Exclude<keyof Row, 'project' | 'role' | 'is_set'>]: Row[Name] extends Buffer ? string : Row[Name];
};
export type ReadNode = Read<NodeRow>;
export type ReadBody = Read<BodyRow>;
export type ReadTake = Read<TakeRow>;
export type ReadRef = Read<RefRow>;
export type ReadEntry = Read<EntryRow>;

export function nodeRow(project: string, record: NodeRecord): NodeRow {
  const { k: _, id, parent, depth, dialect, body, echo, lead, at, ...rest } = record;
  return {
    project: toStored(project),
    id: idBytes(id),
    parent: idBytes(parent),
    depth,
    dialect: toStored(dialect),
    body: idBytes(body),
    echo: echoBytes(echo),
    lead: idBytes(lead),
    role: toStored(record.facts.role),
    at,
    members: packMembers(JSON.stringify(rest)),
  };
}

/** Long paths consist of these, so no intermediate objects are made. */
export function readNode(row: ReadNode): NodeRecord {
  return {
    k: 'node',
    id: readId(row.id),
    parent: readId(row.parent),
    depth: row.depth,
    dialect: fromStored(row.dialect),
    body: readId(row.body),
    echo: readEcho(row.echo),
    lead: readId(row.lead),
    at: row.at,
    ...(readMembers(row.members) as Pick<NodeRecord, 'facts'>),
  };
}

export function bodyRow(project: string, { digest, text }: BodyRecord): BodyRow {
  return { project: toStored(project), digest: idBytes(digest), text: toStored(text) };
}

export function readBody({ digest, text }: ReadBody): BodyRecord {
  return { k: 'body', digest: readId(digest), text: fromStored(text) };
}

export function takeRow(project: string, record: TakeRecord): TakeRow {
  const { k: _, id, node, at, ...rest } = record;
  const members = packMembers(JSON.stringify(rest));
  return { project: toStored(project), id: idBytes(id), node: idBytes(node), at, members };
}

export function readTake({ id, node, at, members }: ReadTake): TakeRecord {
  const more = readMembers(members) as Pick<TakeRecord, 'author' | 'via' | 'origin'>;
  return { k: 'take', id: readId(id), node: readId(node), at, ...more };
}

export function refRow(project: string, record: RefRecord): RefRow {
  const { k: _, on, key, name, clock, ...rest } = record;
  const members = packMembers(JSON.stringify(rest));
  return { ...storeAll({ project, on, key, name, clock }), is_set: record.value !== null, members };
}

export function readRef({ on, key, name, clock, members }: ReadRef): RefRecord {
  const texts = readAll({ key, name, clock });
  return { k: 'ref', on: on as RefRecord['on'], ...texts, ...(readMembers(members) as Pick<RefRecord, 'value'>) };
}

export function entryRow(project: string, record: EntryRecord): EntryRow {
  const { k: kind, id, of, order, clock, ...rest } = record;
  const members = packMembers(JSON.stringify(rest), kind === 'exchange' ? id : undefined);
  return { ...storeAll({ project, kind, id, of, order, clock }), members };
}

export function readEntry({ kind, id, of, order, clock, members }: ReadEntry): EntryRecord {
  const texts = readAll({ id, of, order, clock });
  const more = readMembers(members, kind === 'exchange' ? texts.id : undefined) as Pick<EntryRecord, 'data'>;
  return { k: kind as EntryRecord['k'], ...texts, ...more };
}

/** A record of an unknown kind is identified by all of its text. */
export function otherRow(project: string, record: StoreRecord): OtherRow {
  const text = JSON.stringify(record);
  return { project: toStored(project), digest: sha256(text), record: text };
}

export function readOther({ record }: Pick<OtherRow, 'record'>): StoreRecord {
  return readObject(record) as StoreRecord;
}

function readMembers(stored: string, exchange?: string): object {
  return readObject(unpackMembers(stored, exchange));
}

function readObject(text: string): object {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  return value;
}

function storeAll<T extends Record<string, string>>(texts: T): T {
  return mapTexts(texts, toStored);
}

function readAll<T extends Record<string, string>>(texts: T): T {
  return mapTexts(texts, fromStored);
}

function mapTexts<T extends Record<string, string>>(texts: T, change: (text: string) => string): T {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)])) as T;
}
