import { canonical } from '@skein/core';
import type { Clock } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import { rootFacts } from './convert.ts';
import type { Look } from './converter.ts';
import { hidingRecords } from './threads.ts';

/** Deleting a root in the folder, or taking that back, counts once: what is restored here stays. */
export async function hideDeletedRoots(look: Look, store: Store, clock: Clock): Promise<void> {
  const roots = await look.roots();
  const keys = roots.map(({ id }) => id);
  const { items } = await store.refs({ on: 'older', keys, names: ['root'], limit: keys.length + 1 });
  for (const ref of items) clock.see(ref.clock);
  const before = new Map(items.map(({ key, value }) => [key, value as { deleted?: unknown }]));
  for (const root of roots) {
    const facts = rootFacts(root);
    const there = before.get(root.id);
    if (there && canonical(JSON.stringify(there)) === canonical(JSON.stringify(facts))) continue;
    look.add([{ k: 'ref', on: 'older', key: root.id, name: 'root', value: facts, clock: clock.tick() }]);
    if ((there?.deleted === true) !== root.deleted)
      look.add(await hidingRecords(look, root, root.deleted, clock.tick()));
  }
}
