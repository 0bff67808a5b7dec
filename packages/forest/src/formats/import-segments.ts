import { dialect, isObject } from '@skein/core';
import type { Forest } from '../forest/types.ts';
import { nodeId, ROOT, type StoreRecord, sha256, takeOf } from '../model/index.ts';
import { FormatError, wrongShape } from './format-error.ts';
import type { Progress } from './progress.ts';
import { readJson } from './source/exact.ts';
import type { Piece } from './source/lines.ts';

const BATCH = 500;
const ENTRY_KINDS: ReadonlySet<unknown> = new Set(['generation', 'event', 'exchange', 'checkpoint', 'tool-journal']);

/** Records as they are, each checked by its hash; what names something that is missing is reported and left out. */
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
  const value = readJson(line);
  if (!isObject(value)) throw wrongShape('one record on each line');
  if (value.skein !== undefined) {
    if (value.skein === 'segment' && value.version !== 1)
      throw new FormatError(
        'wrong_shape',
        `Segments of version ${JSON.stringify(value.version)} are not known; this release reads version 1.`,
      );
    return undefined;
  }
  // Marks of batches belong to the file they were written in.
  const { '~': _mark, ...rest } = value;
  const record = rest as unknown as StoreRecord;
  if (!isSound(record))
    throw new FormatError('wrong_shape', `This is not a record whose hash holds: ${line.slice(0, 80)}`);
  return record;
}

function isSound(record: StoreRecord): boolean {
  switch (record.k) {
    case 'body':
      return typeof record.text === 'string' && sha256(record.text) === record.digest;
    case 'node':
      return (
        nodeId(String(record.parent), String(record.dialect), String(record.body)) === record.id &&
        isObject(record.facts) &&
        [record.echo, record.lead].every((member) => typeof member === 'string') &&
        Number.isInteger(record.depth) &&
        typeof record.at === 'number' &&
        isKnownDialect(record.dialect)
      );
    case 'take': {
      const { k, id, ...facts } = record;
      return typeof record.node === 'string' && typeof record.at === 'number' && takeOf(facts).id === id;
    }
    case 'ref':
      return [record.on, record.key, record.name, record.clock].every((member) => typeof member === 'string');
    default:
      return (
        ENTRY_KINDS.has(record.k) &&
        [record.id, record.of, record.order, record.clock].every((member) => typeof member === 'string') &&
        isObject(record.data)
      );
  }
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
