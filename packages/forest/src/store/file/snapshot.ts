import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createEntryTable, createRegisterTable } from '../latest-tables.ts';
import type { StoreProblem } from '../store.ts';
import type { Column, Columns, RecordPlace } from './columns.ts';
import type { Files } from './disk.ts';
import { createNodeTable, type SavedNodes } from './node-table.ts';
import { completeUpTo, createSegment, type Segment } from './segment.ts';
import type { Folders, SavedSet, SegmentSet } from './segment-set.ts';
import {
  createBodyTable,
  createTakeTable,
  type PlacedEntry,
  type PlacedRegister,
  type SavedBodies,
  type SavedTakes,
  type Tables,
} from './tables.ts';

const NAME = 'snapshot';
const TAIL = 4096;
const MOST_TRIES = 5;

interface SavedSegment {
  readonly name: string;
  readonly writer: string;
  readonly version: number;
  readonly size: number;
  readonly isDamaged: boolean;
  readonly hasSums: boolean;
  /** SHA-256 of the last bytes that were read, to notice a changed file. */
  readonly tail: string;
}

interface SavedRest {
  readonly segments: readonly SavedSegment[];
  readonly problems: readonly StoreProblem[];
  readonly roles: readonly string[];
  readonly gaps: number;
  readonly echoes: readonly [number, number];
  readonly refs: readonly PlacedRegister[];
  readonly entries: readonly PlacedEntry[];
  readonly others: readonly (readonly [string, RecordPlace])[];
}

/** Saves the tables, unless too much is being written. Returns whether it did. */
export async function saveSnapshot(files: Files, folders: Folders, set: SegmentSet, name: string): Promise<boolean> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const segments = [...set.current()].filter(({ isOpen }) => isOpen);
    const sizes = segments.map(completeUpTo);
    const tails: string[] = [];
    for (const [index, segment] of segments.entries())
      tails.push(await hashTail(files, set.pathOf(segment.number), sizes[index]!));
    // Records that were read meanwhile are in the tables, but not in these sizes.
    if (segments.some((segment, index) => completeUpTo(segment) !== sizes[index])) continue;
    const bytes = pack(set, segments, sizes, tails);
    const draft = join(folders.index, `${name}.tmp`);
    await files.makeFolder(folders.index);
    await files.write(draft, bytes);
    await files.rename(draft, join(folders.index, NAME));
    return true;
  }
  return false;
}

function pack(set: SegmentSet, segments: readonly Segment[], sizes: readonly number[], tails: readonly string[]) {
  const { tables, problems } = set;
  const numbers = new Map(segments.map(({ number }, index) => [number, index]));
  const nodes = tables.nodes.save();
  const bodies = tables.bodies.save();
  const takes = tables.takes.save();
  const columns = new Map<string, Column>();
  for (const [table, { keys, slots, columns: own }] of Object.entries({ nodes, bodies, takes })) {
    columns.set(`${table}.keys`, keys).set(`${table}.slots`, slots);
    for (const [column, values] of Object.entries({ ...own, segment: own.segment.map((one) => numbers.get(one) ?? 0) }))
      columns.set(`${table}.${column}`, values as Column);
  }
  columns.set('echoes.byEcho', nodes.echoes.byEcho).set('echoes.byLead', nodes.echoes.byLead);
  const placed = <T extends { place: RecordPlace }>(one: T): T => ({ ...one, place: renumber(one.place, numbers) });
  const rest: SavedRest = {
    segments: segments.map(({ name, writer, version, isDamaged, hasSums }, index) => ({
      ...{ name, writer, version, isDamaged, hasSums },
      ...{ size: sizes[index]!, tail: tails[index]! },
    })),
    problems: problems.filter(({ code }) => code !== 'torn-line'),
    roles: nodes.roles,
    gaps: nodes.gaps,
    echoes: nodes.echoes.counts,
    refs: Array.from(tables.refs.all(), placed),
    entries: Array.from(tables.entries.all(), placed),
    others: Array.from(tables.others, ([key, place]) => [key, renumber(place, numbers)] as const),
  };
  return packSnapshot(columns, rest);
}

/** Loads the saved tables if they are still valid: every segment exists and has the same beginning. */
export async function loadSnapshot(files: Files, folders: Folders): Promise<SavedSet | undefined> {
  const path = join(folders.index, NAME);
  const stat = await files.stat(path);
  if (!stat) return undefined;
  const found = unpackSnapshot(await files.read(path, 0, stat.size));
  if (!found) return undefined;
  const rest = found.value as SavedRest;
  const segments: Segment[] = [];
  for (const saved of rest.segments) {
    const segment = await restoreSegment(files, folders, saved, segments.length);
    if (!segment) return undefined;
    segments.push(segment);
  }
  return { tables: restoreTables(found.columns, rest), segments, problems: rest.problems };
}

async function restoreSegment(
  files: Files,
  folders: Folders,
  { name, writer, version, size, isDamaged, hasSums, tail }: SavedSegment,
  number: number,
): Promise<Segment | undefined> {
  const path = join(folders.segments, name);
  const stat = await files.stat(path);
  if (!stat || stat.size < size || (await hashTail(files, path, size)) !== tail) return undefined;
  const segment = createSegment(number, name);
  return { ...segment, writer, version, isDamaged, hasSums, read: size, isOpen: true, file: stat.file };
}

function restoreTables(columns: ReadonlyMap<string, Column>, rest: SavedRest): Tables {
  const tableOf = (table: string) => {
    const own = [...columns].filter(([name]) => name.startsWith(`${table}.`));
    const named = Object.fromEntries(own.map(([name, values]) => [name.slice(table.length + 1), values]));
    const { keys, slots, ...others } = named as Record<string, Column>;
    return { keys, slots, columns: others as Columns };
  };
  const echoes = { ...tableOf('echoes').columns, counts: rest.echoes };
  const nodes = { ...tableOf('nodes'), echoes, roles: rest.roles, gaps: rest.gaps };
  const refs = createRegisterTable<PlacedRegister>();
  for (const ref of rest.refs) refs.put(ref);
  const entries = createEntryTable<PlacedEntry>();
  for (const entry of rest.entries) entries.put(entry);
  return {
    nodes: createNodeTable(nodes as unknown as SavedNodes),
    bodies: createBodyTable(tableOf('bodies') as unknown as SavedBodies),
    takes: createTakeTable(tableOf('takes') as unknown as SavedTakes),
    refs,
    entries,
    others: new Map(rest.others),
  };
}

async function hashTail(files: Files, path: string, size: number): Promise<string> {
  const start = Math.max(0, size - TAIL);
  return createHash('sha256')
    .update(await files.read(path, start, size - start))
    .digest('hex');
}

function renumber(place: RecordPlace, numbers: ReadonlyMap<number, number>): RecordPlace {
  return { ...place, segment: numbers.get(place.segment) ?? 0 };
}

const MAGIC = Buffer.from('SKEINIDX');
/** Increased if the tables change. Snapshots of other versions are ignored. */
const VERSION = 2;
/** The magic number, the checksum, and the length of the header. */
const PRELUDE = 16;
const ALIGN = 8;

interface Section {
  readonly name: string;
  readonly type: 'Uint8Array' | 'Uint32Array' | 'Float64Array';
  readonly start: number;
  readonly length: number;
}

/**
 * Packs named arrays and a JSON value into pieces of a file that can be mapped back without copying. The arrays are not
 * copied either: they are nearly all of the memory of a large store.
 */
function packSnapshot(columns: ReadonlyMap<string, Column>, value: unknown): Buffer[] {
  const sections: Section[] = [];
  let size = 0;
  for (const [name, column] of columns) {
    const type = column.constructor.name as Section['type'];
    sections.push({ name, type, start: size, length: column.length });
    size = align(size + column.byteLength);
  }
  const head = Buffer.from(JSON.stringify({ version: VERSION, endianness: endianness(), sections, value }));
  const first = Buffer.alloc(align(PRELUDE + head.length));
  MAGIC.copy(first);
  first.writeUInt32LE(head.length, 12);
  head.copy(first, PRELUDE);
  const pieces: Buffer[] = [first];
  for (const { buffer, byteOffset, byteLength } of columns.values())
    pieces.push(Buffer.from(buffer, byteOffset, byteLength), Buffer.alloc(align(byteLength) - byteLength));
  const sum = pieces.reduce((before, piece, index) => crc32(index === 0 ? piece.subarray(12) : piece, before), 0);
  first.writeUInt32LE(sum, 8);
  return pieces;
}

/** Unpacks a snapshot; undefined if it is incomplete, of another version, or from a machine with another byte order. */
function unpackSnapshot(
  given: Buffer,
): { readonly columns: ReadonlyMap<string, Column>; readonly value: unknown } | undefined {
  const bytes = given.byteOffset % ALIGN === 0 ? given : Buffer.from(new Uint8Array(given).buffer);
  if (bytes.length < PRELUDE || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  if (bytes.readUInt32LE(8) !== crc32(bytes.subarray(12))) return undefined;
  const length = bytes.readUInt32LE(12);
  const head = JSON.parse(bytes.toString('utf8', PRELUDE, PRELUDE + length)) as Record<string, unknown>;
  if (head.version !== VERSION || head.endianness !== endianness()) return undefined;
  const base = bytes.byteOffset + align(PRELUDE + length);
  const columns = new Map<string, Column>();
  for (const { name, type, start, length: count } of head.sections as readonly Section[]) {
    const make = { Uint8Array, Uint32Array, Float64Array }[type];
    columns.set(name, new make(bytes.buffer as ArrayBuffer, base + start, count));
  }
  return { columns, value: head.value };
}

function align(size: number): number {
  return Math.ceil(size / ALIGN) * ALIGN;
}
