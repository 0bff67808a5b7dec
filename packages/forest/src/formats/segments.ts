import { dialect } from '@skein/core';
import { addTakeTexts, allItems, allPages, type Forest, findNeededBodies, walkAll } from '../forest/index.ts';
import { ROOT } from '../model/ids.ts';
import { ENTRY_KINDS, type NodeRecord, REF_SUBJECTS, type StoreRecord } from '../model/records.ts';
import {
  END_LINE,
  headerLine,
  readLine,
  readSegmentLine,
  recordLine,
  SEGMENT_VERSION,
} from '../store/file/segment-format.ts';
import type { Store } from '../store/index.ts';
import { hashFault } from '../store/records.ts';
import { type ExportSelection, selectionEnd } from './export/selection.ts';
import { FormatError } from './format-error.ts';
import type { ImportTracker } from './import-tracker.ts';
import { readJson } from './source/exact-json.ts';
import type { SourcePiece } from './source/text-source.ts';

const PAGE = 500;

/**
 * Writes records as JSON lines, in the format of a file store's segment. The result can be imported, or copied into the
 * folder of a forest. A part of a forest comes with its ancestors, because ids depend on them.
 */
export async function* exportSegments(
  forest: Forest,
  of: ExportSelection,
  onProgress: (messages: number) => void,
): AsyncGenerator<string> {
  yield headerLine('export');
  const records = of === 'everything' ? allRecords(forest.store) : selectedRecords(forest, of);
  let nodes = 0;
  for await (const batch of records) {
    nodes += batch.filter(({ k }) => k === 'node').length;
    onProgress(nodes);
    if (batch.length > 0) yield batch.map(recordLine).join('');
  }
  yield END_LINE;
}

async function* allRecords(store: Store): AsyncGenerator<readonly StoreRecord[]> {
  yield* bodyPages(store, [...(await findNeededBodies(store, () => false))]);
  for await (const nodes of allPages((page) => store.scan(page))) yield nodes;
  for await (const nodes of allPages((page) => store.scan(page))) yield store.takes(nodes.map(({ id }) => id));
  for (const on of REF_SUBJECTS) yield* allPages((page) => store.refs({ on, ...page }));
  for (const kind of ENTRY_KINDS) yield* allPages((page) => store.entries(kind, page));
}

async function* selectedRecords(
  forest: Forest,
  of: Exclude<ExportSelection, 'everything'>,
): AsyncGenerator<readonly StoreRecord[]> {
  const { store } = forest;
  const inside = new Set<string>();
  const threads = 'thread' in of ? [of.thread] : [];
  const top = await selectionEnd(forest, of);
  yield* nodePages(store, await store.path(top), inside);
  if ('below' in of) {
    let batch: NodeRecord[] = [];
    for await (const { record } of walkAll(store, { id: top, removed: false }, true)) {
      batch.push(record);
      if (batch.length < PAGE) continue;
      yield* nodePages(store, batch, inside);
      batch = [];
    }
    yield* nodePages(store, batch, inside);
  }
  for (const id of threads)
    yield (await store.refs({ on: 'thread', keys: [id], limit: Number.MAX_SAFE_INTEGER })).items;
  for await (const { id, node } of allItems((page) => forest.bookmarks.list(page)))
    if (inside.has(node)) yield (await store.refs({ on: 'bookmark', keys: [id], limit: PAGE })).items;
}

/** The records of nodes, page by page: bodies first, then the nodes, their takes and their marks. */
async function* nodePages(
  store: Store,
  records: readonly NodeRecord[],
  inside: Set<string>,
): AsyncGenerator<readonly StoreRecord[]> {
  for (let start = 0; start < records.length; start += PAGE) {
    const nodes = records.slice(start, start + PAGE);
    const ids = nodes.map(({ id }) => id);
    const takes = await store.takes(ids);
    const needed = new Set(nodes.map(({ body }) => body));
    for (const take of takes) await addTakeTexts(store, take, needed);
    for (const id of ids) inside.add(id);
    yield* bodyPages(store, [...needed]);
    yield nodes;
    yield takes;
    yield (await store.refs({ on: 'node', keys: ids, limit: Number.MAX_SAFE_INTEGER })).items;
  }
}

async function* bodyPages(store: Store, digests: readonly string[]): AsyncGenerator<readonly StoreRecord[]> {
  for (let start = 0; start < digests.length; start += PAGE) {
    const page = digests.slice(start, start + PAGE);
    const texts = await store.bodies(page);
    yield page.flatMap((digest, index) => {
      const text = texts[index];
      return text === undefined ? [] : [{ k: 'body', digest, text } as const];
    });
  }
}

const BATCH = 500;
const KINDS: ReadonlySet<unknown> = new Set(['body', 'take', 'ref', ...ENTRY_KINDS]);

/**
 * Imports records unchanged, each checked by its checksum and its hash. Records that refer to something missing are
 * reported and left out.
 */
export async function importSegments(
  forest: Forest,
  pieces: AsyncIterable<SourcePiece>,
  progress: ImportTracker,
): Promise<void> {
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

/** Reads a record and checks its hash; undefined for lines about the file itself. */
function readRecord(line: string): StoreRecord | undefined {
  readJson(line);
  const bytes = Buffer.from(line);
  const said = readSegmentLine(bytes);
  if (said && said !== 'other' && said.version > SEGMENT_VERSION)
    throw new FormatError(
      'wrong_shape',
      `Segments of version ${said.version} are not supported; this release reads version ${SEGMENT_VERSION}.`,
    );
  if (said) return undefined;
  const record = readLine(bytes)?.record;
  if (record && isSound(record)) return record;
  throw new FormatError('wrong_shape', `This line is not a valid record: ${line.slice(0, 80)}`);
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

/** Drops nodes without parent or body, and takes without node: readers rely on them. */
async function withoutOrphans(
  { store }: Forest,
  batch: readonly { record: StoreRecord; where: string }[],
  progress: ImportTracker,
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
        new FormatError('broken_tree', `The record refers to ${missing}, which does not come before it.`),
      );
      return [];
    }
    if (record.k === 'node') known.add(record.id);
    if (record.k === 'body') known.add(record.digest);
    return [record];
  });
}
