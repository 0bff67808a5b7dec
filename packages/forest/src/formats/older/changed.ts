import { type Context, seeRefs, setRef } from '../../forest/context.ts';
import type { StoreRecord } from '../../model/index.ts';
import type { Seen } from './converter.ts';
import { type KnownNodes, knownRecord } from './known.ts';

/**
 * Writes down what an older node became. Where it was another node before, its file or one above it was changed by
 * another program: the former id then leads to the new one, and the former node stays as it was.
 */
export async function changeRecords(
  context: Context,
  known: KnownNodes,
  older: string,
  { id, parent, node }: Seen,
): Promise<StoreRecord[]> {
  const before = known.get(older);
  const { mtime, size } = node.state;
  if (before?.id === id && before.parent === parent && before.mtime === mtime && before.size === size) return [];
  known.set(older, { id, parent, mtime, size });
  const records: StoreRecord[] = [knownRecord(older, { id, parent, mtime, size }, context.clock.tick())];
  if (!before || before.id === id) return records;
  // A file that says again what it said once is no longer elsewhere.
  const refs = await seeRefs(context, 'node', [id, before.id], ['moved']);
  if (refs.some(({ key, value }) => key === id && value === before.id))
    records.push(setRef(context, 'node', id, 'moved', false));
  // Another file may say the same at the same place: then the node is still one of this folder.
  if (known.becoming(before.id).length === 0) records.push(setRef(context, 'node', before.id, 'moved', id));
  return records;
}

/** A node whose file another program took away is removed, as if it had been removed here. */
export async function vanishRecords(context: Context, known: KnownNodes, older: string): Promise<StoreRecord[]> {
  const before = known.get(older);
  if (!before) return [];
  known.delete(older);
  await seeRefs(context, 'node', [before.id], ['removed']);
  const records: StoreRecord[] = [knownRecord(older, false, context.clock.tick())];
  if (known.becoming(before.id).length === 0) records.push(setRef(context, 'node', before.id, 'removed', true));
  return records;
}
