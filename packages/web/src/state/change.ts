/** One line of the server's change feed, and what of the page it concerns. */
export interface Change {
  readonly kind: string;
  readonly key: string;
  readonly of?: string;
}

/** What of the lists each kind of record can change. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  node: ['search', 'leaves', 'previews'],
  take: ['usage', 'summary', 'context-changes', 'last-request'],
  generation: ['generations'],
  exchange: ['recordings'],
};

/** The same for registers, by what they are about. Threads are looked at one by one. */
const LISTS_OF_REFS: Readonly<Record<string, readonly string[]>> = {
  // What is taken away or moved takes all below it along.
  node: ['bookmarks', 'summary', 'topology', 'search'],
  bookmark: ['bookmarks'],
  // Where a recording landed.
  forest: ['recordings'],
};

/** The lists to fetch again. */
export function listsOf({ kind, key }: Change): readonly string[] {
  return (kind === 'ref' ? LISTS_OF_REFS[key.split('/')[0] ?? ''] : LISTS[kind]) ?? [];
}

/** The thread whose register it is. */
export function threadOf({ kind, key }: Change): string[] {
  if (kind !== 'ref') return [];
  const [on, id] = key.split('/');
  return on === 'thread' && id !== undefined ? [decodeURIComponent(id)] : [];
}

/** The node about which something else is said now. */
export function touchedNode({ kind, key, of }: Change): string[] {
  if (kind === 'take' && of !== undefined) return [of];
  if (kind !== 'ref') return [];
  const [on, id] = key.split('/');
  return on === 'node' && id !== undefined ? [id] : [];
}
