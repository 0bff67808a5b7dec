import { createForest, type Forest } from '../../forest/forest.ts';
import type { Store } from '../../store/index.ts';
import { olderStore } from './older-store.ts';

/**
 * Opens a folder of the older layout as a forest. Its files are read as they are met and never changed; what they
 * become, and whatever is new, goes into `store`. Nodes are also found by their older ids, such as `root-1/node-1`.
 */
export async function openOlder(
  folder: string,
  { store, project }: { readonly store: Store; readonly project?: string },
): Promise<Forest> {
  return createForest(await olderStore(folder, store), project === undefined ? {} : { project });
}
