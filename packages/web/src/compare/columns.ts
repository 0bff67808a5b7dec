import { useEffect, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import type { Generation, Node } from '../api/types.ts';
import { showGeneration, useLive } from '../state/live.ts';
import type { BranchOutline, GenerationOutline } from '../state/live-generation.ts';
import { ensurePath, pathTo, useNodes } from '../state/nodes.ts';

/** What a column shows: the path to a node, or a generation as it grows. */
export type ColumnEntry =
  | { readonly kind: 'node'; readonly id: string }
  | { readonly kind: 'generation'; readonly id: string };

export const MOST_COLUMNS = 4;

/** The prefix of a generation in the address. */
const GENERATION = 'g-';

/** Reads the columns from an address such as `a,b,g-c`. Duplicates count once. */
export function readEntries(text: string): readonly ColumnEntry[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names)]
    .filter((name) => /^(g-)?[A-Za-z0-9_-]+$/.test(name))
    .slice(0, MOST_COLUMNS)
    .map((name) =>
      name.startsWith(GENERATION)
        ? { kind: 'generation', id: name.slice(GENERATION.length) }
        : { kind: 'node', id: name },
    );
}

export function writeEntries(entries: readonly ColumnEntry[]): string {
  return entries.map(({ kind, id }) => (kind === 'generation' ? `${GENERATION}${id}` : id)).join(',');
}

/** The number of nodes that all paths have in common; for a single path, all but its last. */
export function sharedLength(paths: readonly (readonly { readonly id: string }[])[]): number {
  const [first, ...others] = paths;
  if (!first) return 0;
  if (others.length === 0) return Math.max(0, first.length - 1);
  let length = 0;
  while (first[length] && others.every((path) => path[length]?.id === first[length]!.id)) length += 1;
  return length;
}

export interface Column {
  readonly entry: ColumnEntry;
  /** Empty until it is loaded. */
  readonly path: readonly Node[];
  /** The branch that is being generated after the path. */
  readonly live?: BranchOutline;
  /** The model that writes. */
  readonly model?: string;
  readonly error?: unknown;
}

/** Fetches what the columns show, and follows those that grow. */
export function useColumns(entries: readonly ColumnEntry[]): readonly Column[] {
  const nodes = useNodes((state) => state.nodes);
  const live = useLive((state) => state.all);
  const [whole, setWhole] = useState<ReadonlyMap<string, string>>(new Map());
  const [errors, setErrors] = useState<ReadonlyMap<string, unknown>>(new Map());
  const renewals = useNodes((state) => state.renewals);
  const key = entries.map(({ kind, id }) => `${kind} ${id}`).join();

  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the entries; `renewals` says that they are outdated
  useEffect(() => {
    for (const { kind, id } of entries) {
      const loading = kind === 'node' ? ensurePath(id) : loadGeneration(id);
      loading.then(
        (found) => {
          setWhole((before) => new Map(before).set(id, found));
          setErrors((before) => new Map([...before].filter(([of]) => of !== id)));
        },
        (error: unknown) => setErrors((before) => new Map(before).set(id, error)),
      );
    }
  }, [key, renewals]);

  return entries.map((entry) => {
    const { kind, id } = entry;
    const running = kind === 'generation' ? live.get(id) : undefined;
    const branch = running?.branches[0];
    const head = branch?.head ?? whole.get(id) ?? id;
    const path = pathTo(nodes, head);
    const error = errors.get(id);
    return {
      entry,
      // The end of a branch is reported a moment before its node is fetched.
      path: path.length === 0 && running ? pathTo(nodes, running.node) : path,
      ...(branch && { live: branch }),
      ...(running && { model: running.model }),
      ...(error !== undefined && { error }),
    };
  });
}

/** Follows a generation and returns the last node of its branch. */
async function loadGeneration(id: string): Promise<string> {
  const known = useLive.getState().all.get(id);
  if (known) return (await ensureEnds(known))[0]!;
  const generation = await unwrap(api.generations[':generation'].$get({ param: { generation: id } }));
  await ensureEnds(generation);
  showGeneration(generation);
  return generation.branches[0]?.head ?? generation.node;
}

/** Fetches the paths to the node that was answered and to the ends of the branches. */
function ensureEnds({ node, branches }: Pick<GenerationOutline | Generation, 'node' | 'branches'>) {
  return Promise.all([node, ...branches.map(({ head }) => head)].map(ensurePath));
}
