import type { Forest } from '../../forest/forest.ts';
import { addManifest, neededBodies, textsOf } from '../../forest/gc.ts';
import { everyItem, everyPage } from '../../forest/pages.ts';
import { everyStep } from '../../forest/read/walk.ts';

import { ENTRY_KINDS, type NodeRecord, type RefRecord, type StoreRecord } from '../../model/index.ts';
import { END_LINE, headerLine, recordLine } from '../../store/file/format.ts';
import type { Store } from '../../store/index.ts';
import { endOf } from './inside.ts';
import type { ExportOf } from './types.ts';

const PAGE = 500;
const REFS: readonly RefRecord['on'][] = ['thread', 'group', 'node', 'bookmark', 'forest', 'older'];

/**
 * Records as JSON lines, in the form of a file store's segment: it can be imported, or copied into a forest's folder.
 * A part of a forest comes with the nodes above it, because ids are made of them.
 */
export async function* segmentLines(
  forest: Forest,
  of: ExportOf,
  onProgress: (messages: number) => void,
): AsyncGenerator<string> {
  yield headerLine('export');
  const records = of === 'everything' ? everything(forest.store) : part(forest, of);
  let nodes = 0;
  for await (const batch of records) {
    nodes += batch.filter(({ k }) => k === 'node').length;
    onProgress(nodes);
    if (batch.length > 0) yield batch.map(recordLine).join('');
  }
  yield END_LINE;
}

async function* everything(store: Store): AsyncGenerator<readonly StoreRecord[]> {
  yield* bodyPages(store, [...(await neededBodies(store, () => false))]);
  for await (const nodes of everyPage((page) => store.scan(page))) yield nodes;
  for await (const nodes of everyPage((page) => store.scan(page))) yield store.takes(nodes.map(({ id }) => id));
  for (const on of REFS) yield* everyPage((page) => store.refs({ on, ...page }));
  for (const kind of ENTRY_KINDS) yield* everyPage((page) => store.entries(kind, page));
}

async function* part(forest: Forest, of: Exclude<ExportOf, 'everything'>): AsyncGenerator<readonly StoreRecord[]> {
  const { store } = forest;
  const inside = new Set<string>();
  const threads = 'thread' in of ? [of.thread] : [];
  const top = await endOf(forest, of);
  yield* nodePages(store, await store.path(top), inside);
  if ('below' in of) {
    let batch: NodeRecord[] = [];
    for await (const { record } of everyStep(store, { id: top, removed: false }, true)) {
      batch.push(record);
      if (batch.length < PAGE) continue;
      yield* nodePages(store, batch, inside);
      batch = [];
    }
    yield* nodePages(store, batch, inside);
  }
  for (const id of threads)
    yield (await store.refs({ on: 'thread', keys: [id], limit: Number.MAX_SAFE_INTEGER })).items;
  for await (const { id, node } of everyItem((page) => forest.bookmarks.list(page)))
    if (inside.has(node)) yield (await store.refs({ on: 'bookmark', keys: [id], limit: PAGE })).items;
}

/** Nodes with their texts before them, and behind them how they came to be and what is said of them. */
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
    for (const take of takes) {
      for (const digest of textsOf(take)) needed.add(digest);
      if (take.request !== undefined) await addManifest(store, take.request.manifest, needed);
    }
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
