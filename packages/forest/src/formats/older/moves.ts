import { everyItem } from '../../forest/pages.ts';
import type { Store } from '../../store/index.ts';

/** Where nodes were moved to. Read again only when a move was written since. */
export function createMoves(store: Store): () => Promise<(id: string) => string> {
  let moves = new Map<string, string>();
  let cursor: string | undefined;

  const load = async () => {
    moves = new Map();
    for await (const { key, value } of everyItem((page) => store.refs({ on: 'node', names: ['moved'], ...page })))
      if (typeof value === 'string') moves.set(key, value);
  };

  return async () => {
    // The place comes first: what is written while the moves are read is then seen next time.
    const { items, next, reset } = await store.changes(cursor);
    const isFirst = cursor === undefined;
    cursor = next;
    if (isFirst || reset || items.some(({ kind, key }) => kind === 'ref' && key.endsWith('/moved'))) await load();
    return (id) => endOf(id, moves);
  };
}

function endOf(id: string, moves: ReadonlyMap<string, string>): string {
  const seen = new Set<string>();
  let at = id;
  // Moves that two writers made at once could lead in a circle.
  while (!seen.has(at)) {
    seen.add(at);
    at = moves.get(at) ?? at;
  }
  return at;
}
