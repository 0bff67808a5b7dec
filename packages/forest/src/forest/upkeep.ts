import type { Context } from './context.ts';
import { checkForest } from './fsck.ts';
import { collectGarbage } from './gc.ts';
import type { Forest } from './types.ts';

/** What keeps a store in order. */
export function upkeepOf(context: Context): Pick<Forest, 'fsck' | 'gc' | 'pack'> {
  return {
    fsck: () => checkForest(context.store),
    gc: () => collectGarbage(context),
    pack: () => context.store.compact(() => true),
  };
}
