import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { StoreProblem } from '../../store.ts';
import type { Appender, Files, PageFile } from '../disk.ts';
import { completeUpTo, createSegment, type Segment } from '../segment.ts';
import type { Folders, SavedSet, SegmentSet } from '../segment-set.ts';
import type { SavedNodes } from './node-table.ts';
import { IndexDamage, PAGE_BYTES, type PageCache, type PageList, type SavedPages } from './pages.ts';
import type { ListToSave, RecordPlace, SavedList } from './rows.ts';
import { createTables, type PlacedEntry, type PlacedRegister, type Tables } from './tables.ts';

// A snapshot has the pages of all lists; then a JSON value and the checksum of each page; then the footer.

const NAME = 'snapshot';
const DRAFT = '.tmp';
const TAIL = 4096;
const MAGIC = Buffer.from('SKEINIDX');
/** Increased if the tables change. Snapshots of other versions are ignored. */
const VERSION = 3;
/** The magic number, the number of pages, the length of the JSON, and the checksum of JSON and checksums. */
const FOOTER = 20;
/** How many pages are written at once. */
const AT_ONCE = 256;
/** A draft that has not changed for so long was left behind. To lose it costs its writer no more than a snapshot. */
const LEFT_BEHIND_MS = 3_600_000;

interface SavedSegment {
  readonly number: number;
  readonly name: string;
  readonly writer: string;
  readonly version: number;
  readonly size: number;
  readonly isDamaged: boolean;
  readonly hasSums: boolean;
  /** SHA-256 of the last bytes that were read, to notice a changed file. */
  readonly tail: string;
}

interface Head {
  readonly version: number;
  readonly endianness: string;
  /** The lists of pages in their order, with the number of their pages and of their rows or entries. */
  readonly lists: readonly { readonly name: string; readonly pages: number; readonly count: number }[];
  readonly segments: readonly SavedSegment[];
  readonly problems: readonly StoreProblem[];
  readonly nodes: SavedNodes['facts'];
  /** The length of all bodies. */
  readonly bytes: number;
  readonly refs: readonly PlacedRegister[];
  readonly entries: readonly PlacedEntry[];
  readonly others: readonly (readonly [string, RecordPlace])[];
}

/** Saves the tables, which must not change meanwhile. */
export async function saveSnapshot(files: Files, folders: Folders, set: SegmentSet, name: string): Promise<void> {
  const segments: SavedSegment[] = [];
  for (const segment of set.current()) {
    const { number, name, writer, version, isDamaged, hasSums, isOpen } = segment;
    if (!isOpen) continue;
    const size = Math.min(completeUpTo(segment), segment.gap ?? Infinity);
    const tail = await hashTail(files, set.pathOf(number), size);
    segments.push({ number, name, writer, version, size, isDamaged, hasSums, tail });
  }
  const draft = join(folders.index, `${name}${DRAFT}`);
  await files.makeFolder(folders.index);
  await removeLeftBehind(files, folders);
  const to = await files.create(draft);
  try {
    await writeTables(to, set, segments);
    await to.sync();
    await to.close();
    await files.rename(draft, join(folders.index, NAME));
  } catch (error) {
    await to.close().catch(() => undefined);
    await files.remove(draft).catch(() => undefined);
    throw error;
  }
}

async function removeLeftBehind(files: Files, { index }: Folders): Promise<void> {
  for (const name of await files.list(index)) {
    if (!name.endsWith(DRAFT)) continue;
    const stat = await files.stat(join(index, name));
    if (stat && Date.now() - stat.changedMs > LEFT_BEHIND_MS) await files.remove(join(index, name));
  }
}

async function writeTables(
  to: Appender,
  { tables, problems }: SegmentSet,
  segments: readonly SavedSegment[],
): Promise<void> {
  const { lists: nodeLists, facts } = tables.nodes.save();
  const lists: [string, ListToSave][] = [
    ...named('nodes', nodeLists),
    ...named('bodies', tables.bodies.save()),
    ...named('takes', tables.takes.save()),
  ];
  const sums: number[] = [];
  const buffer = Buffer.alloc(AT_ONCE * PAGE_BYTES);
  for (const [, { pages, pageCount }] of lists)
    for (let start = 0; start < pageCount; start += AT_ONCE) {
      const count = Math.min(AT_ONCE, pageCount - start);
      copyPages(pages, start, count, buffer, sums);
      await to.append(buffer.subarray(0, count * PAGE_BYTES));
    }
  const head: Head = {
    version: VERSION,
    endianness: endianness(),
    lists: lists.map(([name, { pageCount, count }]) => ({ name, pages: pageCount, count })),
    segments,
    problems: problems.filter(({ code }) => code !== 'torn-line'),
    nodes: facts,
    bytes: tables.bodies.bytes,
    refs: [...tables.refs.all()],
    entries: [...tables.entries.all()],
    others: [...tables.others],
  };
  const json = Buffer.from(JSON.stringify(head));
  const sumBytes = Buffer.from(Uint32Array.from(sums).buffer);
  const footer = Buffer.alloc(FOOTER);
  MAGIC.copy(footer);
  footer.writeUInt32LE(sums.length, 8);
  footer.writeUInt32LE(json.length, 12);
  footer.writeUInt32LE(crc32(sumBytes, crc32(json)), 16);
  await to.append(Buffer.concat([json, sumBytes, footer]));
}

function named(table: string, lists: Readonly<Record<string, ListToSave>>): [string, ListToSave][] {
  return Object.entries(lists).map(([name, list]) => [`${table}.${name}`, list]);
}

function copyPages(pages: PageList, start: number, count: number, buffer: Buffer, sums: number[]): void {
  for (let index = 0; index < count; index++) {
    const page = buffer.subarray(index * PAGE_BYTES, (index + 1) * PAGE_BYTES);
    pages.copy(start + index, page);
    sums.push(crc32(page));
  }
}

/** Loads the saved tables if they are still valid: every segment exists and has the same beginning. */
export async function loadSnapshot(files: Files, folders: Folders, cache: PageCache): Promise<SavedSet | undefined> {
  const file = files.openPages(join(folders.index, NAME));
  const found = await loadFrom(file, files, folders, cache).catch(() => undefined);
  if (!found?.isOpen) file.close();
  return found?.set;
}

async function loadFrom(file: PageFile, files: Files, folders: Folders, cache: PageCache) {
  const found = readHead(file);
  if (!found) return undefined;
  const { head, sums } = found;
  const segments: Segment[] = [];
  for (const saved of head.segments) {
    const segment = await restoreSegment(files, folders, saved);
    if (!segment) return undefined;
    // The numbers between are those of segments that are gone.
    while (segments.length < saved.number) segments.push(createSegment(segments.length, ''));
    segments[saved.number] = segment;
  }
  // If the pages fit, they are read at once; otherwise each when it is asked for.
  const isOpen = sums.length > cache.limit;
  const pages = isOpen ? readOnDemand(file, sums) : readAll(file, sums);
  if (!pages) return undefined;
  const tables = restoreTables(cache, head, pages, () => isOpen && file.close());
  return { set: { tables, segments, problems: head.problems } satisfies SavedSet, isOpen };
}

interface FoundHead {
  readonly head: Head;
  readonly sums: Uint32Array;
}

/** Reads what follows the pages; undefined if it is incomplete, of another version, or from a machine with another byte order. */
function readHead(file: PageFile): FoundHead | undefined {
  const size = file.size();
  const footer = Buffer.alloc(FOOTER);
  if (size < FOOTER || file.read(footer, size - FOOTER) < FOOTER) return undefined;
  if (!footer.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const [pages, length] = [footer.readUInt32LE(8), footer.readUInt32LE(12)];
  const start = pages * PAGE_BYTES;
  if (size !== start + length + pages * 4 + FOOTER) return undefined;
  const bytes = Buffer.alloc(length + pages * 4);
  if (file.read(bytes, start) < bytes.length || crc32(bytes) !== footer.readUInt32LE(16)) return undefined;
  const head = JSON.parse(bytes.toString('utf8', 0, length)) as Head;
  if (head.version !== VERSION || head.endianness !== endianness()) return undefined;
  const sums = new Uint32Array(new Uint8Array(bytes.subarray(length)).buffer);
  return { head, sums };
}

async function restoreSegment(
  files: Files,
  folders: Folders,
  { number, name, writer, version, size, isDamaged, hasSums, tail }: SavedSegment,
): Promise<Segment | undefined> {
  const path = join(folders.segments, name);
  const stat = await files.stat(path);
  if (!stat || stat.size < size || (await hashTail(files, path, size)) !== tail) return undefined;
  const segment = createSegment(number, name);
  return { ...segment, writer, version, isDamaged, hasSums, read: size, isOpen: true, file: stat.file };
}

/** The pages from one on. */
type PagesFrom = (start: number, count: number) => SavedPages | Buffer;

function readAll(file: PageFile, sums: Uint32Array): PagesFrom | undefined {
  const bytes = Buffer.from(new ArrayBuffer(sums.length * PAGE_BYTES));
  const isRight = (sum: number, page: number) =>
    crc32(bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)) === sum;
  if (file.read(bytes, 0) < bytes.length || !sums.every(isRight)) return undefined;
  return (start, count) => bytes.subarray(start * PAGE_BYTES, (start + count) * PAGE_BYTES);
}

function readOnDemand(file: PageFile, sums: Uint32Array): PagesFrom {
  const read = (page: number, into: Uint8Array) => {
    let cause: unknown;
    try {
      if (file.read(into, page * PAGE_BYTES) === PAGE_BYTES && crc32(into) === sums[page]) return;
    } catch (error) {
      cause = error;
    }
    throw new IndexDamage(cause);
  };
  return (start, count) => ({ count, read: (index, into) => read(start + index, into) });
}

function restoreTables(cache: PageCache, head: Head, pagesFrom: PagesFrom, close: () => void): Tables {
  const lists = new Map<string, SavedList>();
  let start = 0;
  for (const { name, pages: count, count: rows } of head.lists) {
    lists.set(name, { pages: pagesFrom(start, count), count: rows });
    start += count;
  }
  const list = (name: string) => lists.get(name)!;
  const table = (name: string) => ({ rows: list(`${name}.rows`), map: list(`${name}.map`) });
  const nodes = { ...table('nodes'), byEcho: list('nodes.byEcho'), byLead: list('nodes.byLead') };
  return createTables(cache, {
    nodes: { lists: nodes, facts: head.nodes },
    bodies: { ...table('bodies'), bytes: head.bytes },
    takes: table('takes'),
    refs: head.refs,
    entries: head.entries,
    others: head.others,
    close,
  });
}

async function hashTail(files: Files, path: string, size: number): Promise<string> {
  const start = Math.max(0, size - TAIL);
  return createHash('sha256')
    .update(await files.read(path, start, size - start))
    .digest('hex');
}
