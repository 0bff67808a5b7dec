import { type NodeRecord, ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';

/** Whether a node stands at or below another. Depths tell most of it; the path is read only as far as needed. */
export async function isAtOrBelow(
  store: Store,
  node: Pick<NodeRecord, 'id' | 'depth'>,
  top: Pick<NodeRecord, 'id' | 'depth'>,
): Promise<boolean> {
  if (top.id === ROOT || node.id === top.id) return true;
  if (node.depth <= top.depth) return false;
  const [first] = await store.path(node.id, top.id);
  return first?.parent === top.id;
}
