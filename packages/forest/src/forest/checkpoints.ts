import type { Checkpoint } from '@skein/core';
import type { Store } from '../store/index.ts';
import type { Context } from './context.ts';
import type { Lineage } from './lineage.ts';
import { seeRefs, setRef } from './refs.ts';

/**
 * Checkpoints are kept on the branch that was sent with them, at its end so far, and under the thread it belongs to: other
 * branches and other conversations with the same history were sent as they are, and stay so.
 */
const NAME = 'checkpoint';

function checkpointName(thread: string | undefined): string {
  return thread === undefined ? NAME : `${NAME}:${thread}`;
}

export async function keepCheckpoints(
  context: Context,
  head: string,
  thread: string | undefined,
  checkpoints: readonly Checkpoint[],
): Promise<void> {
  const newest = checkpoints.at(-1);
  if (!newest) return;
  const name = checkpointName(thread);
  await seeRefs(context, 'node', [head], [name]);
  await context.store.append([setRef(context, 'node', head, name, newest)]);
}

/** Those of a path, from its beginning on; of a conversation where one is named. */
export async function readCheckpoints(
  store: Store,
  path: readonly string[],
  lineage: Lineage | undefined,
): Promise<{ readonly node: string; readonly checkpoint: Checkpoint }[]> {
  const names = [NAME, ...[...(lineage ?? [])].map(checkpointName)];
  const { items } = await store.refs({ on: 'node', keys: path, names, limit: Math.max(1, path.length * names.length) });
  const order = new Map(path.map((id, index) => [id, index]));
  return items
    .toSorted((a, b) => order.get(a.key)! - order.get(b.key)!)
    .flatMap(({ key, value }) => (isCheckpoint(value) ? [{ node: key, checkpoint: value }] : []));
}

function isCheckpoint(value: unknown): value is Checkpoint {
  const { upTo, digest, replacement } = (value ?? {}) as Partial<Checkpoint>;
  return typeof upTo === 'number' && typeof digest === 'string' && Array.isArray(replacement);
}
