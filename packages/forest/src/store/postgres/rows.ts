import { sha256 } from '../../model/ids.ts';
import type { BodyRecord, EntryRecord, NodeRecord, RefRecord, StoreRecord, TakeRecord } from '../../model/records.ts';
import type { BodyRow, EntryRow, NodeRow, OtherRow, RefRow, TakeRow } from './schema.ts';

// Columns hold what queries need; all other members of a record, also those of later versions, are in `rest`.
// JSON.stringify escapes what PostgreSQL's text cannot hold.

export function nodeRow(project: string, record: NodeRecord): NodeRow {
  const { k: _, id, parent, depth, dialect, body, echo, lead, at, ...rest } = record;
  return {
    project: toStored(project),
    id: toStored(id),
    parent: toStored(parent),
    depth,
    dialect: toStored(dialect),
    body: toStored(body),
    echo: toStored(echo),
    lead: toStored(lead),
    role: toStored(record.facts.role),
    at,
    rest: JSON.stringify(rest),
  };
}

/** Long paths consist of these, so no intermediate objects are made. */
export function readNode(row: Omit<NodeRow, 'project' | 'role'>): NodeRecord {
  return {
    k: 'node',
    id: fromStored(row.id),
    parent: fromStored(row.parent),
    depth: row.depth,
    dialect: fromStored(row.dialect),
    body: fromStored(row.body),
    echo: fromStored(row.echo),
    lead: fromStored(row.lead),
    at: row.at,
    ...(readRest(row.rest) as Pick<NodeRecord, 'facts'>),
  };
}

export function bodyRow(project: string, { digest, text }: BodyRecord): BodyRow {
  return storeAll({ project, digest, text });
}

export function readBody({ digest, text }: Pick<BodyRow, 'digest' | 'text'>): BodyRecord {
  return { k: 'body', digest: fromStored(digest), text: fromStored(text) };
}

export function takeRow(project: string, record: TakeRecord): TakeRow {
  const { k: _, id, node, at, ...rest } = record;
  return { ...storeAll({ project, id, node }), at, rest: JSON.stringify(rest) };
}

export function readTake({ id, node, at, rest }: Omit<TakeRow, 'project'>): TakeRecord {
  const more = readRest(rest) as Pick<TakeRecord, 'author' | 'via' | 'origin'>;
  return { k: 'take', ...readAll({ id, node }), at, ...more };
}

export function refRow(project: string, record: RefRecord): RefRow {
  const { k: _, on, key, name, clock, ...rest } = record;
  return { ...storeAll({ project, on, key, name, clock }), is_set: record.value !== null, rest: JSON.stringify(rest) };
}

export function readRef({ on, key, name, clock, rest }: Omit<RefRow, 'project' | 'is_set'>): RefRecord {
  const texts = readAll({ key, name, clock });
  return { k: 'ref', on: on as RefRecord['on'], ...texts, ...(readRest(rest) as Pick<RefRecord, 'value'>) };
}

export function entryRow(project: string, record: EntryRecord): EntryRow {
  const { k: kind, id, of, order, clock, ...rest } = record;
  return { ...storeAll({ project, kind, id, of, order, clock }), rest: JSON.stringify(rest) };
}

export function readEntry({ kind, id, of, order, clock, rest }: Omit<EntryRow, 'project'>): EntryRecord {
  const texts = readAll({ id, of, order, clock });
  return { k: kind as EntryRecord['k'], ...texts, ...(readRest(rest) as Pick<EntryRecord, 'data'>) };
}

/** A record of an unknown kind is identified by all of its text. */
export function otherRow(project: string, record: StoreRecord): OtherRow {
  const text = JSON.stringify(record);
  return { project: toStored(project), digest: sha256(text), record: text };
}

export function readOther({ record }: Pick<OtherRow, 'record'>): StoreRecord {
  return readRest(record) as StoreRecord;
}

function readRest(text: string): object {
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

/**
 * PostgreSQL's text cannot hold U+0000, and a lone surrogate has no UTF-8 form. Such code units, and U+001B itself, are
 * escaped as U+001B and four hexadecimal digits. JSON texts have none of them raw except lone surrogates, so nearly all
 * texts are stored unchanged.
 */
const ESCAPE = '\u001b';
const UNSTORABLE = new RegExp(`[${String.raw`\0\u001b`}]|\\p{Surrogate}`, 'gu');
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROL = /[\0\u001b]/;
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'g');

/** Escapes a text for PostgreSQL; most texts stay unchanged. */
export function toStored(text: string): string {
  if (text.isWellFormed() && !CONTROL.test(text)) return text;
  return text.replace(UNSTORABLE, (unit) => `${ESCAPE}${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Undoes `toStored`. */
export function fromStored(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replace(ESCAPED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}
