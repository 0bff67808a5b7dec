import { type Message, rangeDigest } from '@skein/core';
import { type Forest, readMessage, readTakes, writeCheckpoint } from '../forest/index.ts';
import type { NodeRecord } from '../model/records.ts';
import type { ImportedMessage, KeptMessages } from './importer.ts';

/** After a compaction, the model got something in place of the messages before: a checkpoint says what. */
export async function writeCheckpoints(
  forest: Forest,
  messages: readonly ImportedMessage[],
  nodeOf: (key: string) => string | undefined,
  thread: string,
): Promise<void> {
  for (const { key, parent, instead } of messages) {
    if (!instead) continue;
    const above = parent === undefined ? undefined : nodeOf(parent);
    const path = above === undefined ? [] : await forest.store.path(above);
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
