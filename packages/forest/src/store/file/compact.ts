import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { StoreRecord } from '../../model/index.ts';
import { StoreError } from '../store-error.ts';
import { type Place, placeAt } from './columns.ts';
import type { Files } from './files.ts';
import { batchLines, END_LINE, headerLine } from './format.ts';
import { lifeOf, nameOf, showLife } from './liveness.ts';
import type { RecordReader } from './record-reader.ts';
import type { Folders, SegmentSet } from './segment-set.ts';
import { COMPACTION, type SegmentWriter } from './segment-writer.ts';
import { placeIn, type Tables } from './tables.ts';

const AT_ONCE = 2000;

interface Work {
  readonly files: Files;
  readonly folders: Folders;
  readonly set: SegmentSet;
  readonly records: RecordReader;
  readonly writer: string;
  readonly out: SegmentWriter;
}

/**
 * Writes what counts into one new segment, and only then takes the old ones away. Ended in the middle, it leaves both:
 * nothing is lost, and it can be run again.
 */
export async function compactSegments(work: Work, keep: (record: StoreRecord) => boolean) {
  const { files, folders, set, out } = work;
  if ((await lifeOf(files, folders.writers, COMPACTION)) === 'alive')
    throw new StoreError('store_in_use', `${folders.segments} is being compacted by another process.`);
  // Shown first, then the others are looked for: a writer does it the other way round, so that one sees the other.
  const hide = await showLife(files, folders.writers, COMPACTION);
  try {
    await refuseWithWriters(work);
    await out.leave();
    await set.refresh();
    const old = [...set.current()];
    const counts = await writeKept(work, keep);
    for (const { name, isDamaged } of old) {
      const path = join(folders.segments, name);
      if (!isDamaged) await files.remove(path);
      else {
        await files.makeFolder(folders.setAside);
        await files.rename(path, join(folders.setAside, name));
      }
    }
    await files.sync(folders.segments).catch(() => undefined);
    await set.reload();
    return counts;
  } finally {
    await hide();
  }
}

async function refuseWithWriters({ files, folders, writer }: Work): Promise<void> {
  for (const name of await files.list(folders.writers)) {
    const other = name.replace(/\.json$/, '');
    if (other === writer || other === COMPACTION) continue;
    const life = await lifeOf(files, folders.writers, other);
    if (life === 'dead' || life === 'none') continue;
    const path = join(folders.writers, name);
    const who = await nameOf(files, folders.writers, other);
    throw new StoreError(
      'store_in_use',
      life === 'alive'
        ? `${who} is at work in ${folders.segments}. Stop it first.`
        : `${who} was on another machine and has not been heard of. If it has ended, remove ${path}.`,
    );
  }
}

async function writeKept({ files, folders, set, records, writer }: Work, keep: (record: StoreRecord) => boolean) {
  const name = `${writer}-${randomBytes(3).toString('hex')}.jsonl`;
  const draft = join(folders.segments, `${name}.tmp`);
  const counts = { kept: 0, removed: 0 };
  await files.makeFolder(folders.segments);
  const to = await files.create(draft);
  try {
    await to.append(Buffer.from(headerLine(writer)));
    for (const places of inParts(placesOf(set.tables))) {
      const lines: string[] = [];
      for (const record of await records.read(places)) {
        if (record && keep(record)) {
          counts.kept += 1;
          lines.push(...batchLines([record], 0));
        } else if (record) counts.removed += 1;
      }
      await to.append(Buffer.from(lines.join('')));
    }
    await to.append(Buffer.from(END_LINE));
    await to.sync();
  } finally {
    await to.close();
  }
  await files.rename(draft, join(folders.segments, name));
  await files.sync(folders.segments);
  return counts;
}

/** Bodies before the nodes that name them, parents before their children. */
function* placesOf({ nodes, bodies, takes, refs, entries, others }: Tables): Generator<Place> {
  for (let row = 0; row < bodies.count; row++) {
    const place = placeIn(bodies.columns, row);
    if (place) yield place;
  }
  for (let row = 0; row < nodes.count; row++) if (nodes.has(row)) yield placeAt(nodes.columns, row);
  for (let row = 0; row < takes.count; row++) yield placeAt(takes.columns, row);
  for (const { place } of refs.all()) yield place;
  for (const { place } of entries.all()) yield place;
  yield* others.values();
}

function* inParts(places: Iterable<Place>): Generator<Place[]> {
  let part: Place[] = [];
  for (const place of places) {
    part.push(place);
    if (part.length < AT_ONCE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
