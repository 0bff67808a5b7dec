import { createHash } from 'node:crypto';
import { type Forest, makeRef } from '../forest/index.ts';
import { OWN_VALUES, storePeer } from './store-peer.ts';
import { type SyncOptions, type SyncResult, syncForests } from './sync-forests.ts';
import type { SyncPeer } from './sync-peer.ts';

/**
 * Brings a forest together with the one at `where`, and remembers when, so that the next meeting reports only values that
 * both sides have changed since. Of what was pushed, only the next push knows that the other side has it.
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
  const place = createHash('sha256').update(where).digest('hex').slice(0, 16);
  const [met, pushed] = [`met:${place}`, `pushed:${place}`];
  const names = options.direction === 'push' ? [met, pushed] : [met];
  const { items } = await store.refs({ on, keys: [key], names });
  const since = items
    .map(({ value }) => String(value))
    .sort()
    .at(-1);
  const now = clock.tick();
  const result = await syncForests(storePeer(store), there, { ...options, ...(since !== undefined && { since }) });
  // A part of the forests has met, so that other values may still differ.
  if (options.selection) return result;
  if (options.dryRun || options.direction === 'pull' || result.sent + result.received === 0) return result;
  await store.append([makeRef(forest, on, key, options.direction === 'both' ? met : pushed, now)]);
  return result;
}
