import { type Message, rangeDigest } from '@skein/core';
import { type Forest, readCheckpoints, readMessage, readTakes, writeCheckpoint } from '../forest/index.ts';
import type { NodeRecord } from '../model/records.ts';
import type { ImportedMessage, KeptMessages } from './importer.ts';

/**
 * After a compaction, the model got something in place of the messages before: a checkpoint says what. One that was recorded
 * between this compaction and the next says it already.
 */
export async function writeCheckpoints(
  forest: Forest,
  messages: readonly ImportedMessage[],
  nodeOf: (key: string) => string | undefined,
  thread: string,
  recorded: string | undefined,
): Promise<void> {
  const compactions: { readonly key: string; readonly instead: Instead; readonly path: readonly NodeRecord[] }[] = [];
  for (const { key, parent, instead } of messages) {
    const above = parent === undefined ? undefined : nodeOf(parent);
    if (instead) compactions.push({ key, instead, path: above === undefined ? [] : await forest.store.path(above) });
  }
  const depths = compactions.length === 0 ? [] : await recordedDepths(forest, recorded);
  for (const [at, { key, instead, path }] of compactions.entries()) {
    const end = compactions[at + 1]?.path.length ?? Number.POSITIVE_INFINITY;
    if (depths.some((depth) => depth > path.length && depth <= end)) continue;
    const replacement: Message[] = [];
    for (const one of instead) {
      if ('raw' in one) replacement.push(one);
      else replacement.push(...(await readKept(forest, findKept(one, path, nodeOf))));
    }
    const before = path.map(({ body }) => ({ facts: { digest: body } }));
    const checkpoint = {
      upTo: path.length,
      digest: rangeDigest(before, before.length),
      replacement: replacement.map(({ raw, origin }) => ({ dialect: origin.dialect, raw, origin })),
    };
    await writeCheckpoint(forest, nodeOf(key)!, thread, [checkpoint]);
  }
}

type Instead = NonNullable<ImportedMessage['instead']>;

/** How deep the checkpoints of a recorded thread are in its path. */
async function recordedDepths({ store, threads }: Forest, recorded: string | undefined): Promise<number[]> {
  if (recorded === undefined) return [];
  const path = await store.path((await threads.get(recorded)).head);
  const ids = path.map(({ id }) => id);
  const found = await readCheckpoints(store, ids, new Set([recorded]));
  return found.map(({ node }) => ids.indexOf(node) + 1);
}

/** The nodes that a compaction left as they were. */
function findKept(
  kept: KeptMessages,
  path: readonly NodeRecord[],
  nodeOf: (key: string) => string | undefined,
): readonly NodeRecord[] {
  const first = nodeOf('key' in kept ? kept.key : kept.from);
  const at = path.findIndex(({ id }) => id === first);
  if (at < 0) return [];
  return 'key' in kept ? path.slice(at, at + 1) : path.slice(at);
}

async function readKept({ store }: Forest, kept: readonly NodeRecord[]): Promise<Message[]> {
  const [texts, takes] = await Promise.all([
    store.bodies(kept.map(({ body }) => body)),
    readTakes(
      store,
      kept.map(({ id }) => id),
    ),
  ]);
  return kept.map((node, index) => readMessage(store, node, texts[index], takes.get(node.id) ?? []));
}
