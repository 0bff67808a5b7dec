import { isObject } from '@skein/core';
import { everyItem } from '../../forest/pages.ts';
import type { RefRecord } from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import type { FileState } from './read-files.ts';

/** What an older node became, and how its file was then. */
export interface Known extends FileState {
  readonly id: string;
  readonly parent: string;
}

/** Which older nodes were converted before: kept as refs, found by either id. */
export interface KnownNodes {
  get(older: string): Known | undefined;
  /** Older ids that became this node: several where files say the same. */
  becoming(id: string): readonly string[];
  /** Older ids that were converted below this node. */
  below(id: string): readonly string[];
  set(older: string, known: Known): void;
  delete(older: string): void;
}

function createKnownNodes(): KnownNodes {
  const known = new Map<string, Known>();
  const byId = new Map<string, Set<string>>();
  const byParent = new Map<string, Set<string>>();
  const drop = (older: string) => {
    const before = known.get(older);
    if (!before) return;
    byId.get(before.id)?.delete(older);
    byParent.get(before.parent)?.delete(older);
    known.delete(older);
  };
  return {
    get: (older) => known.get(older),
    becoming: (id) => [...(byId.get(id) ?? [])],
    below: (id) => [...(byParent.get(id) ?? [])],
    set(older, now) {
      drop(older);
      known.set(older, now);
      add(byId, now.id, older);
      add(byParent, now.parent, older);
    },
    delete: drop,
  };
}

/** What an earlier program run wrote down. */
export async function loadKnownNodes(store: Store): Promise<KnownNodes> {
  const nodes = createKnownNodes();
  for await (const { key, value } of everyItem((page) => store.refs({ on: 'older', names: ['node'], ...page })))
    if (isKnown(value)) nodes.set(key, value);
  return nodes;
}

/** The ref that keeps it. */
export function knownRecord(older: string, value: Known | false, clock: string): RefRecord {
  return { k: 'ref', on: 'older', key: older, name: 'node', value, clock };
}

function isKnown(value: unknown): value is Known {
  return (
    isObject(value) &&
    [value.id, value.parent].every((id) => typeof id === 'string') &&
    [value.mtime, value.size].every((number) => typeof number === 'number')
  );
}

function add(index: Map<string, Set<string>>, key: string, older: string): void {
  const ids = index.get(key);
  if (ids) ids.add(older);
  else index.set(key, new Set([older]));
}
