import { ID_LENGTH, isIdPrefix, ROOT } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { ForestError } from '../errors.ts';

/** Returns the full id for an id, a prefix of one, or the former id of a moved node. */
export async function resolveId(store: Store, id: string): Promise<string> {
  if (id === ROOT || id === 'root') return ROOT;
  const older = id.includes('/') ? await olderNode(store, id) : undefined;
  if (older !== undefined) return followRedirect(store, older);
  if (!isIdPrefix(id)) {
    throw new ForestError(
      'not_an_id',
      id,
      `"${shorten(id)}" is not a node id: give 4 to ${ID_LENGTH} hexadecimal digits.`,
    );
  }
  const found = id.length === ID_LENGTH ? [id] : await store.idsLike(id, 6);
  if (found.length > 1) {
    throw new ForestError(
      'ambiguous_id',
      id,
      `"${id}" is the beginning of several ids (${found.map((one) => one.slice(0, id.length + 4)).join(', ')}): give more digits.`,
    );
  }
  const full = found[0];
  if (full === undefined) throw unknownNode(id);
  const now = await followRedirect(store, full);
  const [node] = await store.nodes([now]);
  if (!node && now !== ROOT) throw missingNode(store, now);
  return now;
}

/** The node that a node of the older layout became. */
async function olderNode(store: Store, id: string): Promise<string | undefined> {
  const { items } = await store.refs({ on: 'older', keys: [id], names: ['node'], limit: 1 });
  const now = (items[0]?.value as { id?: unknown } | null | undefined)?.id;
  return typeof now === 'string' ? now : undefined;
}

/** Reads the record of a node. The root has none: it is refused. */
export async function resolveNode(store: Store, id: string): Promise<NodeRecord> {
  const [record] = await store.nodes([await resolveId(store, id)]);
  if (!record) throw new ForestError('unknown_node', id, 'The root is the empty history: it has no message.');
  return record;
}

/** Returns the present id for a former one, or the id itself when the node was never moved. */
export async function followRedirect(store: Store, id: string): Promise<string> {
  return (await followRedirects(store, [id])).get(id)!;
}

/** Returns the present id for each of these ids, with one query for each step of the longest chain of moves. */
export async function followRedirects(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const next = new Map<string, string | undefined>();
  for (let asked = [...new Set(ids)]; asked.length > 0; ) {
    const { items } = await store.refs({ on: 'node', keys: asked, names: ['moved'], limit: asked.length });
    const targets = new Map(items.map(({ key, value }) => [key, typeof value === 'string' ? value : undefined]));
    for (const id of asked) next.set(id, targets.get(id));
    asked = [...new Set(targets.values())].filter((id) => id !== undefined && !next.has(id)) as string[];
  }
  return new Map(ids.map((id) => [id, followChain(id, next)]));
}

function followChain(id: string, next: ReadonlyMap<string, string | undefined>): string {
  let at = id;
  // Simultaneous moves by two writers could form a circle.
  for (const seen = new Set<string>(); !seen.has(at); ) {
    seen.add(at);
    const target = next.get(at);
    if (target === undefined) return at;
    at = target;
  }
  return at;
}

function unknownNode(id: string): ForestError {
  return new ForestError('unknown_node', id, `There is no node ${id} in this forest.`);
}

/** The error for a node that is missing or damaged. */
function missingNode(store: Store, id: string): ForestError {
  const damage = store.problems().find(({ subject }) => subject === id);
  if (!damage) return unknownNode(id);
  return new ForestError(
    'damaged',
    id,
    `Node ${id} is damaged at ${damage.where}: ${damage.message} Run fsck to list all damage.`,
  );
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Whether a node is at or below another. The depths decide most cases; the path is read only as far as needed. */
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
