import { ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { hiddenBelow } from './removed.ts';
import { resolveId } from './resolve.ts';
import type { Top } from './walk.ts';

/** Where a walk begins, and whether that is hidden itself. */
export async function topOf(store: Store, id: string): Promise<Top> {
  const full = await resolveId(store, id);
  if (full === ROOT) return { id: ROOT, removed: false };
  const [record] = await store.nodes([full]);
  const [removed] = await hiddenBelow(store, [record!]);
  return { id: full, removed: removed! };
}
