import { ID_LENGTH, isIdPrefix, ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { ForestError } from './errors.ts';

/** The full id that an id, its beginning, or the former id of something leads to. */
export async function resolveId(store: Store, id: string): Promise<string> {
  if (id === ROOT || id === 'root') return ROOT;
  if (!isIdPrefix(id)) {
    throw new ForestError(
      'not_an_id',
      id,
      `"${shown(id)}" is not a node id: give 4 to ${ID_LENGTH} hexadecimal digits.`,
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
  const now = await followRedirects(store, full);
  const [node] = await store.nodes([now]);
  if (!node && now !== ROOT) throw unknownNode(id);
  return now;
}

/** Where a former id leads now; the id itself when it was never moved. */
export async function followRedirects(store: Store, id: string): Promise<string> {
  let at = id;
  for (const seen = new Set<string>(); !seen.has(at); ) {
    seen.add(at);
    const { items } = await store.refs({ on: 'node', keys: [at], names: ['moved'] });
    const target = items[0]?.value;
    if (typeof target !== 'string') return at;
    at = target;
  }
  return at;
}

function unknownNode(id: string): ForestError {
  return new ForestError('unknown_node', id, `There is no node ${id} in this forest.`);
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
