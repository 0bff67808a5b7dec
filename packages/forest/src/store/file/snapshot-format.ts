import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import type { Column } from './columns.ts';

const MAGIC = Buffer.from('SKEINIDX');
/** Changes with what the tables hold. A snapshot of another version is not read. */
const VERSION = 2;
/** Magic, checksum, and the length of the description. */
const PRELUDE = 16;
const ALIGN = 8;

interface Section {
  readonly name: string;
  readonly type: 'Uint8Array' | 'Uint32Array' | 'Float64Array';
  readonly start: number;
  readonly length: number;
}

/** Arrays by name and a JSON value, as bytes that can be taken back as they are. */
export function packSnapshot(columns: ReadonlyMap<string, Column>, value: unknown): Buffer {
  const sections: Section[] = [];
  let size = 0;
  for (const [name, column] of columns) {
    const type = column.constructor.name as Section['type'];
    sections.push({ name, type, start: size, length: column.length });
    size = aligned(size + column.byteLength);
  }
  const head = Buffer.from(JSON.stringify({ version: VERSION, endianness: endianness(), sections, value }));
  const base = aligned(PRELUDE + head.length);
  const bytes = Buffer.alloc(base + size);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(head.length, 12);
  head.copy(bytes, PRELUDE);
  for (const [index, column] of [...columns.values()].entries())
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), base + sections[index]!.start);
  bytes.writeUInt32LE(crc32(bytes.subarray(12)), 8);
  return bytes;
}

/** Undefined when the bytes are not a whole snapshot of this version, made on a machine like this one. */
export function unpackSnapshot(
  given: Buffer,
): { readonly columns: ReadonlyMap<string, Column>; readonly value: unknown } | undefined {
  const bytes = given.byteOffset % ALIGN === 0 ? given : Buffer.from(new Uint8Array(given).buffer);
  if (bytes.length < PRELUDE || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.readUInt32LE(8) !== crc32(bytes.subarray(12))) return undefined;
  const length = bytes.readUInt32LE(12);
  const head = JSON.parse(bytes.toString('utf8', PRELUDE, PRELUDE + length)) as Record<string, unknown>;
  if (head.version !== VERSION || head.endianness !== endianness()) return undefined;
  const base = bytes.byteOffset + aligned(PRELUDE + length);
  const columns = new Map<string, Column>();
  for (const { name, type, start, length: count } of head.sections as readonly Section[]) {
    const make = { Uint8Array, Uint32Array, Float64Array }[type];
    columns.set(name, new make(bytes.buffer as ArrayBuffer, base + start, count));
  }
  return { columns, value: head.value };
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGN) * ALIGN;
}
