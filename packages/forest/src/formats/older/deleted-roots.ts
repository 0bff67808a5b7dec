import { canonical } from '@skein/core';
import { type Context, seeRefs, setRef } from '../../forest/context.ts';
import { rootFacts } from './convert.ts';
import type { Look } from './converter.ts';
import { hidingRecords } from './threads.ts';

/** Deleting a root in the folder, or taking that back, counts once: what is restored here stays. */
export async function hideDeletedRoots(look: Look, context: Context): Promise<void> {
  const roots = await look.roots();
  const keys = roots.map(({ id }) => id);
  const stored = await seeRefs(context, 'older', keys, ['root']);
  const before = new Map(stored.map(({ key, value }) => [key, value as { deleted?: unknown }]));
  for (const root of roots) {
    const facts = rootFacts(root);
    const there = before.get(root.id);
    if (there && canonical(JSON.stringify(there)) === canonical(JSON.stringify(facts))) continue;
    look.add([setRef(context, 'older', root.id, 'root', facts)]);
    if ((there?.deleted === true) === root.deleted) continue;
    for (const { on, key, name, value } of await hidingRecords(look, root, root.deleted)) {
      await seeRefs(context, on, [key], [name]);
      look.add([setRef(context, on, key, name, value)]);
    }
  }
}
