import { type FileHandle, open } from 'node:fs/promises';
import { FormatError } from '../format-error.ts';

/** A value in a row. */
export type SqliteValue = string | number | bigint | Uint8Array | null;

/** A database file of SQLite, opened for reading. */
export interface SqliteFile {
  /** The names of its tables. */
  readonly tables: readonly string[];
  /** The rows of a table in the order of their row ids, by the names of its columns. */
  rows(table: string): AsyncGenerator<Readonly<Record<string, SqliteValue>>>;
  close(): Promise<void>;
}

/** What a file starts with. */
const MAGIC = 'SQLite format 3\0';
const HEADER = 100;

/**
 * Opens a database without changing anything: other programs may be writing to it. It reads the file's pages and those of
 * its write-ahead log up to the last complete transaction. Only tables with row ids are read.
 *
 * @example
 * const file = await openSqlite('opencode.db');
 * for await (const { id, data } of file.rows('message')) console.log(id, data);
 */
export async function openSqlite(path: string): Promise<SqliteFile> {
  const file = await open(path, 'r');
  try {
    const header = await readAt(file, 0, HEADER);
    if (header.toString('latin1', 0, 16) !== MAGIC)
      throw new FormatError('wrong_shape', `${path} is not a database of SQLite.`);
    const written = header.readUInt16BE(16);
    const pageSize = written === 1 ? 65_536 : written;
    const log = await openLog(`${path}-wal`, pageSize);
    const pages = new Pages(file, log, pageSize, pageSize - header[20]!);
    const schema = new Map<string, TableSchema>();
    const decoder = new TextDecoder(ENCODINGS[header.readUInt32BE(56)] ?? 'utf-8');
    const decode: Decode = (bytes) => decoder.decode(bytes);
    for await (const { cells } of walk(pages, 1)) {
      const [type, name, , root, sql] = cells(decode);
      if (type === 'table' && typeof name === 'string' && typeof sql === 'string')
        schema.set(name, { root: Number(root), columns: readColumns(sql), isPlain: !/\bWITHOUT\s+ROWID\b/i.test(sql) });
    }
    return {
      tables: [...schema.keys()],
      async *rows(table) {
        const known = schema.get(table);
        if (!known?.isPlain) throw new FormatError('wrong_shape', `${path} has no table "${table}" with row ids.`);
        for await (const { id, cells } of walk(pages, known.root)) {
          const values = cells(decode);
          yield Object.fromEntries(
            known.columns.map(({ name, isRowId }, index) => [name, isRowId ? id : (values[index] ?? null)]),
          );
        }
      },
      async close() {
        await log?.file.close();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

const ENCODINGS: Readonly<Record<number, string>> = { 1: 'utf-8', 2: 'utf-16le', 3: 'utf-16be' };

interface TableSchema {
  readonly root: number;
  readonly columns: readonly { readonly name: string; readonly isRowId: boolean }[];
  readonly isPlain: boolean;
}

/** Reads the columns of a table from the statement that made it. */
function readColumns(sql: string): TableSchema['columns'] {
  const inside = sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'));
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  for (const char of inside) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '`' || char === '"' || char === "'") quote = char;
    else if (char === '[') quote = ']';
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    if (char === ',' && depth === 0 && quote === '') {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part]
    .map((text) => text.trim())
    .filter((text) => text !== '' && !/^(?:CONSTRAINT|PRIMARY\s+KEY|UNIQUE|FOREIGN\s+KEY|CHECK)\b/i.test(text))
    .map((text) => {
      const [, quoted, plain] = /^(?:[`"[]([^`"\]]+)[`"\]]|(\S+))/.exec(text) ?? [];
      return { name: quoted ?? plain ?? '', isRowId: /^\S+\s+INTEGER\s+PRIMARY\s+KEY\b/i.test(text) };
    });
}

/** The pages of a write-ahead log, by their numbers: where the last committed content of each is. */
interface WriteAheadLog {
  readonly file: FileHandle;
  readonly offsets: ReadonlyMap<number, number>;
}

const LOG_HEADER = 32;
const FRAME_HEADER = 24;

async function openLog(path: string, pageSize: number): Promise<WriteAheadLog | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return undefined;
  const { size } = await file.stat();
  if (size < LOG_HEADER) {
    await file.close();
    return undefined;
  }
  const header = await readAt(file, 0, LOG_HEADER);
  const salt = header.subarray(16, 24);
  const offsets = new Map<number, number>();
  let uncommitted: [page: number, offset: number][] = [];
  for (let at = LOG_HEADER; at + FRAME_HEADER + pageSize <= size; at += FRAME_HEADER + pageSize) {
    const frame = await readAt(file, at, FRAME_HEADER);
    // Frames of an earlier use of the log have another salt.
    if (!frame.subarray(8, 16).equals(salt)) break;
    uncommitted.push([frame.readUInt32BE(0), at + FRAME_HEADER]);
    if (frame.readUInt32BE(4) === 0) continue;
    for (const [page, offset] of uncommitted) offsets.set(page, offset);
    uncommitted = [];
  }
  return { file, offsets };
}

/** Reads pages: from the log where it has them, else from the file. */
class Pages {
  readonly #file: FileHandle;
  readonly #log: WriteAheadLog | undefined;
  readonly #size: number;
  /** The bytes of a page that hold content. */
  readonly usable: number;

  constructor(file: FileHandle, log: WriteAheadLog | undefined, size: number, usable: number) {
    this.#file = file;
    this.#log = log;
    this.#size = size;
    this.usable = usable;
  }

  read(number: number): Promise<Buffer> {
    const logged = this.#log?.offsets.get(number);
    return logged === undefined
      ? readAt(this.#file, (number - 1) * this.#size, this.#size)
      : readAt(this.#log!.file, logged, this.#size);
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new FormatError('wrong_shape', 'The database ends in the middle of a page.');
  return buffer;
}

/** Turns the bytes of a text into it, by the encoding of the database. */
type Decode = (bytes: Uint8Array) => string;

/** A row as it is stored. */
interface StoredRow {
  readonly id: number | bigint;
  readonly cells: (decode: Decode) => SqliteValue[];
}

const INTERIOR = 5;
const LEAF = 13;
const MOST_LEVELS = 32;

/** Walks the tree of a table, whose leaves have the rows. */
async function* walk(pages: Pages, number: number, level = 0): AsyncGenerator<StoredRow> {
  const page = await pages.read(number);
  const start = number === 1 ? HEADER : 0;
  const kind = page[start];
  const count = page.readUInt16BE(start + 3);
  if ((kind !== INTERIOR && kind !== LEAF) || level > MOST_LEVELS)
    throw new FormatError('wrong_shape', `Page ${number} of the database is not a page of a table.`);
  const pointers = start + (kind === INTERIOR ? 12 : 8);
  for (let index = 0; index < count; index++) {
    const at = page.readUInt16BE(pointers + index * 2);
    if (kind === INTERIOR) yield* walk(pages, page.readUInt32BE(at), level + 1);
    else yield await readRow(pages, page, at);
  }
  if (kind === INTERIOR) yield* walk(pages, page.readUInt32BE(start + 8), level + 1);
}

/** Reads a row; one that is longer than a page goes on in others. */
async function readRow(pages: Pages, page: Buffer, at: number): Promise<StoredRow> {
  const length = readVarint(page, at);
  const id = readVarint(page, length.end);
  const size = Number(length.value);
  const { usable } = pages;
  const most = usable - 35;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const partial = least + ((size - least) % (usable - 4));
  const local = size <= most ? size : partial <= most ? partial : least;
  const parts = [page.subarray(id.end, id.end + local)];
  let left = size - local;
  for (let next = left > 0 ? page.readUInt32BE(id.end + local) : 0; left > 0 && next !== 0; ) {
    const more = await pages.read(next);
    const taken = Math.min(left, usable - 4);
    parts.push(more.subarray(4, 4 + taken));
    left -= taken;
    next = more.readUInt32BE(0);
  }
  const record = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  return { id: plainNumber(id.value), cells: (decode) => readCells(record, decode) };
}

function readCells(record: Buffer, decode: Decode): SqliteValue[] {
  const header = readVarint(record, 0);
  const values: SqliteValue[] = [];
  let body = Number(header.value);
  for (let at = header.end; at < Number(header.value); ) {
    const type = readVarint(record, at);
    at = type.end;
    const [value, size] = readValue(record, body, Number(type.value), decode);
    values.push(value);
    body += size;
  }
  return values;
}

/** The sizes of integers by their type. */
const INTEGERS = [0, 1, 2, 3, 4, 6, 8];

function readValue(record: Buffer, at: number, type: number, decode: Decode): [value: SqliteValue, size: number] {
  if (type === 0) return [null, 0];
  if (type <= 6) {
    const size = INTEGERS[type]!;
    return [size === 8 ? plainNumber(record.readBigInt64BE(at)) : record.readIntBE(at, size), size];
  }
  if (type === 7) return [record.readDoubleBE(at), 8];
  if (type < 12) return [type === 9 ? 1 : 0, 0];
  const size = Math.floor((type - 12) / 2);
  const bytes = record.subarray(at, at + size);
  return [type % 2 === 0 ? new Uint8Array(bytes) : decode(bytes), size];
}

function plainNumber(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

function readVarint(bytes: Buffer, from: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let at = from; ; at++) {
    const byte = BigInt(bytes[at] ?? 0);
    if (at - from === 8) return { value: BigInt.asIntN(64, (value << 8n) | byte), end: at + 1 };
    value = (value << 7n) | (byte & 0x7fn);
    if (byte < 0x80n) return { value, end: at + 1 };
  }
}
