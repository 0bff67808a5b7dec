import type { Context } from './context.ts';
import { checkForest } from './fsck.ts';
import { collectGarbage } from './gc.ts';
import { settleAll } from './settle.ts';
import type { Forest } from './types.ts';

/** What keeps a store in order. */
export function upkeepOf(context: Context): Pick<Forest, 'fsck' | 'settle' | 'gc' | 'pack'> {
  return {
    fsck: () => checkForest(context.store),
    settle: async () => ({ moved: await settleAll(context) }),
    gc: (options) => collectGarbage(context, options),
    pack: () => context.store.compact(() => true),
  };
}
