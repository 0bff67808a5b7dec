import { useEffect, useState } from 'react';
import { api, unwrap } from '../api/client.ts';
import type { Generation, Node } from '../api/types.ts';
import { showGeneration, useLive } from '../state/live.ts';
import type { LiveBranch, LiveGeneration } from '../state/live-generation.ts';
import { ensurePath, pathTo, useNodes } from '../state/nodes.ts';
import type { ColumnEntry } from './columns.ts';

export interface Column {
  readonly entry: ColumnEntry;
  /** Empty until it is loaded. */
  readonly path: readonly Node[];
  /** The branch that is being generated after the path. */
  readonly live?: LiveBranch;
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
function ensureEnds({ node, branches }: Pick<LiveGeneration | Generation, 'node' | 'branches'>) {
  return Promise.all([node, ...branches.map(({ head }) => head)].map(ensurePath));
}
