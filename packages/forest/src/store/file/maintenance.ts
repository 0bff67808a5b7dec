import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreRecord } from '../../model/records.ts';
import { hashFault, recordKey } from '../records.ts';
import { StoreError, type StoreProblem } from '../store.ts';
import type { Files } from './disk.ts';
import { claimLife, describeWriter, readLife } from './liveness.ts';
import type { RecordReader } from './record-reader.ts';
import { completeUpTo, damagedLine, type Segment } from './segment.ts';
import {
  copyLine,
  END_LINE,
  endOfLine,
  findSubject,
  headerLine,
  lacksSum,
  readLine,
  readSegmentLine,
} from './segment-format.ts';
import type { Folders, SegmentSet } from './segment-set.ts';
import { COMPACTION, type SegmentWriter } from './segment-writer.ts';
import type { RecordPlace } from './tables/rows.ts';
import type { Tables } from './tables/tables.ts';

const PIECE = 8 * 2 ** 20;
const LINE_FEED = 10;

/** Reads every line of every segment and checks its JSON, its hashes, and what it refers to. */
export async function checkSegments(files: Files, set: SegmentSet): Promise<StoreProblem[]> {
  const problems: StoreProblem[] = [];
  for (const segment of set.current()) {
    let hasSums = false;
    for await (const { bytes, start, hasFeed } of readLines(files, set, segment)) {
      const where = `${segment.name}:${start}`;
      if (!hasFeed) problems.push({ ...damagedLine(undefined), where });
      const said = readSegmentLine(bytes);
      if (said && said !== 'other') hasSums = said.hasSums;
      if (said) continue;
      const line = readLine(bytes);
      if (line && !(hasSums && lacksSum(line)))
        problems.push(...findFaults(set.tables, line.record).map((fault) => ({ ...fault, where })));
      else problems.push({ ...damagedLine(findSubject(bytes)), where });
    }
  }
  return problems;
}

/** The complete lines of a segment, as far as it has been read. The rest is torn or incomplete. */
async function* readLines(files: Files, set: SegmentSet, segment: Segment) {
  const path = set.pathOf(segment.number);
  const end = completeUpTo(segment);
  for (let base = 0, piece = PIECE; ; ) {
    const bytes = await files.read(path, base, Math.min(piece, end - base));
    let start = 0;
    for (let feed = endOfLine(bytes, 0); feed >= 0; feed = endOfLine(bytes, start)) {
      const hasFeed = bytes[feed] === LINE_FEED;
      if (feed > start) yield { bytes: bytes.subarray(start, feed), start: base + start, hasFeed };
      start = feed + 1;
    }
    base += start;
    if (bytes.length < piece) return;
    // A line that is longer than what was read is read again as a whole.
    piece = start > 0 ? PIECE : piece * 2;
  }
}

type Fault = Omit<StoreProblem, 'where'>;

function findFaults({ nodes, bodies }: Tables, record: StoreRecord): Fault[] {
  const faults: Fault[] = [];
  const wrong = hashFault(record);
  if (wrong !== undefined) faults.push({ code: 'wrong-hash', message: wrong, subject: recordKey(record) });
  if (record.k === 'node') {
    const { id, parent, body } = record;
    const row = nodes.rowOf(parent);
    if (row !== 0 && !nodes.has(row))
      faults.push({ code: 'missing-parent', message: `The parent ${parent} of node ${id} is missing.` });
    if (!bodies.place(bodies.rowOf(body)))
      faults.push({ code: 'missing-body', message: `The body ${body} of node ${id} is missing.` });
  }
  return faults;
}

const AT_ONCE = 2000;
const BYTES_AT_ONCE = 16 * 2 ** 20;
const WAIT_MS = 50;
const LONGEST_WAIT_MS = 10_000;

interface CompactionContext {
  readonly files: Files;
  readonly folders: Folders;
  readonly set: SegmentSet;
  readonly records: RecordReader;
  readonly writer: string;
  readonly out: SegmentWriter;
}

/**
 * Writes all valid records that are to be kept into one new segment, then removes the old ones. If it is interrupted,
 * both exist: nothing is lost, and it can be repeated.
 */
export async function compactSegments(work: CompactionContext, keep: (record: StoreRecord) => boolean) {
  const { files, folders, set, out } = work;
  // A compaction shows its sign first and then looks for writers; a writer shows its own first, too. So one always sees
  // the other.
  const hide = await waitForTurn(work);
  try {
    await refuseWithWriters(work);
    await out.leave();
    // Reads every line instead of a snapshot: damage must be known before anything is removed.
    await set.reload(true);
    const reason = set.readOnlyBecause();
    if (reason)
      throw new StoreError('store_read_only', `${folders.segments} cannot be compacted: ${reason}. Update Skein.`);
    const unread = new Set(set.problems.filter(({ code }) => code === 'unreadable-file').map(({ where }) => where));
    const old = [...set.current()].filter(({ name }) => !unread.has(name));
    const counts = await writeKept(work, keep);
    const setAside: string[] = [];
    for (const { name, isDamaged } of old) {
      const path = join(folders.segments, name);
      if (isDamaged) setAside.push(await putAside(work, path, name));
      else await files.remove(path);
    }
    await files.sync(folders.segments).catch(() => undefined);
    await set.reload(false);
    return { ...counts, ...(setAside.length > 0 && { setAside }) };
  } finally {
    await hide();
  }
}

/** Only one compaction runs at a time; others wait for a while. */
async function waitForTurn({ files, folders }: CompactionContext): Promise<() => Promise<void>> {
  const end = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const hide = await claimLife(files, folders.writers, COMPACTION);
    if (hide) return hide;
    if (performance.now() > end)
      throw new StoreError(
        'store_in_use',
        `${folders.segments} is being compacted by another process. Wait until that is done, then repeat.`,
      );
    await sleep(WAIT_MS);
  }
}

/** Moves a damaged segment into the folder for those, and returns its new path. */
async function putAside({ files, folders }: CompactionContext, path: string, name: string): Promise<string> {
  await files.makeFolder(folders.setAside);
  let to = join(folders.setAside, name);
  for (let copy = 2; await files.stat(to); copy++) to = join(folders.setAside, `${name}.${copy}`);
  await files.rename(path, to);
  return to;
}

async function refuseWithWriters({ files, folders, writer }: CompactionContext): Promise<void> {
  for (const name of await files.list(folders.writers)) {
    const other = name.replace(/\.json$/, '');
    if (other === writer || other === COMPACTION) continue;
    const life = await readLife(files, folders.writers, other);
    if (life === 'dead' || life === 'none') continue;
    const path = join(folders.writers, name);
    const who = await describeWriter(files, folders.writers, other);
    throw new StoreError(
      'store_in_use',
      life === 'alive'
        ? `${who} is using ${folders.segments}. Stop it first.`
        : `${who} runs on another machine and has not been heard of lately. If it has ended, remove ${path}.`,
    );
  }
}

async function writeKept(
  { files, folders, set, records, writer }: CompactionContext,
  keep: (record: StoreRecord) => boolean,
) {
  const name = `${writer}-${randomBytes(3).toString('hex')}.jsonl`;
  const draft = join(folders.segments, `${name}.tmp`);
  const counts = { kept: 0, removed: 0 };
  await files.makeFolder(folders.segments);
  const to = await files.create(draft);
  let isWhole = false;
  try {
    await to.append(Buffer.from(headerLine(writer)));
    for (const places of inParts(allPlaces(set.tables))) {
      const lines: string[] = [];
      for (const line of await records.lines(places)) {
        if (keep(line.record)) {
          counts.kept += 1;
          lines.push(copyLine(line));
        } else counts.removed += 1;
      }
      await to.append(Buffer.from(lines.join('')));
    }
    await to.append(Buffer.from(END_LINE));
    await to.sync();
    isWhole = true;
  } finally {
    await to.close();
    if (!isWhole) await files.remove(draft).catch(() => undefined);
  }
  await files.rename(draft, join(folders.segments, name));
  await files.sync(folders.segments);
  return counts;
}

/** The places of all records: bodies before the nodes that refer to them, parents before their children. */
function* allPlaces({ nodes, bodies, takes, refs, entries, others }: Tables): Generator<RecordPlace> {
  for (const table of [bodies, nodes, takes])
    for (let row = 0; row < table.count; row++) {
      const place = table.place(row);
      if (place) yield place;
    }
  for (const { place } of refs.all()) yield place;
  for (const { place } of entries.all()) yield place;
  yield* others.values();
}

function* inParts(places: Iterable<RecordPlace>): Generator<RecordPlace[]> {
  let part: RecordPlace[] = [];
  let bytes = 0;
  for (const place of places) {
    part.push(place);
    bytes += place.length;
    if (part.length < AT_ONCE && bytes < BYTES_AT_ONCE) continue;
    yield part;
    part = [];
    bytes = 0;
  }
  if (part.length > 0) yield part;
}
