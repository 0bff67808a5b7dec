import { createHash } from 'node:crypto';
import { type Forest, makeRef } from '../forest/index.ts';
import { OWN_VALUES, storePeer } from './store-peer.ts';
import { type SyncOptions, type SyncResult, syncForests } from './sync-forests.ts';
import type { SyncPeer } from './sync-peer.ts';

/**
 * Brings a forest together with the one at `where`, and remembers when, so that the next meeting reports only values that
 * both sides have changed since.
 *
 * @example
 * const { conflicts } = await meetForest(forest, there, '/backup/forest', { direction: 'both' });
 */
export async function meetForest(
  forest: Forest,
  there: SyncPeer,
  where: string,
  options: Omit<SyncOptions, 'since'>,
): Promise<SyncResult> {
  const { store, clock } = forest;
  const { on, key } = OWN_VALUES;
  // Hashed, because an address may contain what should not be stored.
  const name = `met:${createHash('sha256').update(where).digest('hex').slice(0, 16)}`;
  const { items } = await store.refs({ on, keys: [key], names: [name] });
  const since = items[0]?.value;
  const now = clock.tick();
  const result = await syncForests(storePeer(store), there, {
    ...options,
    ...(typeof since === 'string' && { since }),
  });
  // A part of the forests has met, so that other values may still differ.
  if (options.selection) return result;
  if (!options.dryRun && options.direction === 'both' && result.sent + result.received > 0)
    await store.append([makeRef(forest, on, key, name, now)]);
  return result;
}
