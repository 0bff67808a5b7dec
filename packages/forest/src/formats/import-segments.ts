import { dialect } from '@skein/core';
import type { Forest } from '../forest/forest.ts';
import { ENTRY_KINDS, ROOT, type StoreRecord } from '../model/index.ts';
import { readLine, readSegmentLine, SEGMENT_VERSION } from '../store/file/format.ts';
import { hashFault } from '../store/record-fault.ts';
import { FormatError } from './format-error.ts';
import type { Progress } from './progress.ts';
import { readJson } from './source/exact.ts';
import type { Piece } from './source/lines.ts';

const BATCH = 500;
const KINDS: ReadonlySet<unknown> = new Set(['body', 'take', 'ref', ...ENTRY_KINDS]);

/** Records as they are, each checked by its checksum and its hash; what names something that is missing is reported and left out. */
export async function importSegments(forest: Forest, pieces: AsyncIterable<Piece>, progress: Progress): Promise<void> {
  const { store } = forest;
  let batch: { record: StoreRecord; where: string }[] = [];
  const write = async () => {
    const records = await withoutOrphans(forest, batch, progress);
    const nodes = records.flatMap((record) => (record.k === 'node' ? [record.id] : []));
    const there = await store.nodes(nodes);
    if (records.length > 0) await store.append(records);
    progress.done({ elements: records.length, messages: nodes.length, added: there.filter((node) => !node).length });
    for (const { key } of records.flatMap((record) => (record.k === 'ref' && record.on === 'thread' ? [record] : [])))
      progress.thread(key);
    batch = [];
  };
  for await (const { text, where } of pieces) {
    try {
      const record = readRecord(text);
      if (record) batch.push({ record, where });
    } catch (error) {
      progress.problem(where, error);
    }
    if (batch.length >= BATCH) await write();
  }
  await write();
}

/** A record whose hash holds; undefined for lines about the file itself. */
function readRecord(line: string): StoreRecord | undefined {
  readJson(line);
  const bytes = Buffer.from(line);
  const said = readSegmentLine(bytes);
  if (said && said !== 'other' && said.version > SEGMENT_VERSION)
    throw new FormatError(
      'wrong_shape',
      `Segments of version ${said.version} are not known; this release reads version ${SEGMENT_VERSION}.`,
    );
  if (said) return undefined;
  const record = readLine(bytes)?.record;
  if (record && isSound(record)) return record;
  throw new FormatError('wrong_shape', `This is not a record whose hash holds: ${line.slice(0, 80)}`);
}

function isSound(record: StoreRecord): boolean {
  const isKnown = record.k === 'node' ? isKnownDialect(record.dialect) : KINDS.has(record.k);
  return isKnown && hashFault(record) === undefined;
}

function isKnownDialect(id: string): boolean {
  try {
    return dialect(id) !== undefined;
  } catch {
    return false;
  }
}

/** Nodes without their parent or text, and takes without their node, would break a reader. */
async function withoutOrphans(
  { store }: Forest,
  batch: readonly { record: StoreRecord; where: string }[],
  progress: Progress,
): Promise<StoreRecord[]> {
  const known = new Set<string>([ROOT]);
  const asked = batch.flatMap(({ record }) =>
    record.k === 'node' ? [record.parent] : record.k === 'take' ? [record.node] : [],
  );
  for (const node of await store.nodes([...new Set(asked)].filter((id) => id !== ROOT))) if (node) known.add(node.id);
  const digests = batch.flatMap(({ record }) => (record.k === 'node' ? [record.body] : []));
  const texts = await store.bodies(digests);
  for (const [index, digest] of digests.entries()) if (texts[index] !== undefined) known.add(digest);
  return batch.flatMap(({ record, where }) => {
    const missing =
      record.k === 'node'
        ? [record.parent, record.body].find((id) => !known.has(id))
        : record.k === 'take' && !known.has(record.node)
          ? record.node
          : undefined;
    if (missing !== undefined) {
      progress.problem(
        where,
        new FormatError('broken_tree', `What it belongs to, ${missing}, is not there before it.`),
      );
      return [];
    }
    if (record.k === 'node') known.add(record.id);
    if (record.k === 'body') known.add(record.digest);
    return [record];
  });
}
