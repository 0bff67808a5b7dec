import type { Checkpoint, Manifest, Message } from '@skein/core';
import { messageOf, takesByNode } from '../forest/read-nodes.ts';
import { storedManifest } from '../forest/sent-request.ts';
import type { NodeRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { isCheckpoint } from './checkpoints.ts';

/** What a request below a node is made from: the texts of its path, and what was sent for them before. */
export interface History {
  readonly path: readonly NodeRecord[];
  readonly messages: readonly Message[];
  readonly checkpoints: readonly Checkpoint[];
  /** Of the last request on this path, so that it is sent with the texts it was made with. */
  readonly previous: { readonly digest: string; readonly manifest: Manifest } | undefined;
}

export async function readHistory(store: Store, node: string, issuer?: string): Promise<History> {
  const path = await store.path(node);
  const ids = path.map(({ id }) => id);
  const [bodies, takes, refs] = await Promise.all([
    store.bodies(path.map(({ body }) => body)),
    takesByNode(store, ids),
    store.refs({ on: 'node', keys: ids, names: ['checkpoint'], limit: Math.max(ids.length, 1) }),
  ]);
  const order = new Map(ids.map((id, index) => [id, index]));
  const checkpoints = refs.items
    .toSorted((a, b) => order.get(a.key)! - order.get(b.key)!)
    .flatMap(({ value }) => (isCheckpoint(value) ? [value] : []));
  const digest = ids.flatMap((id) => takes.get(id) ?? []).findLast(({ request }) => request)?.request?.manifest;
  return {
    path,
    messages: path.map((record, index) => messageOf(record, bodies[index], takes.get(record.id) ?? [], issuer)),
    checkpoints,
    previous: digest === undefined ? undefined : { digest, manifest: await storedManifest(store, digest) },
  };
}
