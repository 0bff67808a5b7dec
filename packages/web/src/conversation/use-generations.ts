import { useQueries } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queries } from '../api/queries.ts';
import type { Generation, Lineage, Node } from '../api/types.ts';
import { showGeneration } from '../state/live.ts';
import { keyOf, usePlace, watch } from '../state/place.ts';

/** How many messages before the end are looked at: a run of tool calls may have begun that far up. */
const LOOKED_AT = 4;

/** Finds what grows, waits or failed at the end of a conversation's path, whoever started it, and shows it. */
export function useGenerations(owner: Lineage | undefined, path: readonly Node[]): void {
  const thread = owner?.id;
  const found = useQueries({
    queries: startsOf(path).map((id) => queries.generationsOf(id)),
    combine: (results) =>
      results.flatMap(({ data }) => (data?.items ?? []).filter((one) => !owner || isOwnGeneration(one, owner.lineage))),
  });
  const leaf = path.at(-1);
  useEffect(() => {
    if (!leaf) return;
    const open = found.filter(({ status }) => status !== 'done');
    for (const generation of open.reverse()) {
      const branch = branchAt(generation, leaf, path);
      if (branch < 0) continue;
      showGeneration(generation);
      if (!usePlace.getState().watched.has(keyOf(thread, leaf.id)))
        watch(thread, leaf.id, { generation: generation.id, branch });
      return;
    }
    const silent = silentAfter(found, leaf, path);
    if (silent) showGeneration(silent);
  }, [found, leaf, path, thread]);
}

/** Two people may say the same at the same moment: each sees their own answer grow. */
function isOwnGeneration({ thread }: Generation, lineage: readonly string[]): boolean {
  return thread === undefined || lineage.includes(thread);
}

/** The latest generation, when it ended without a word beside the answer that is shown: it is one of the ways to go on. */
function silentAfter(found: readonly Generation[], leaf: Node, path: readonly Node[]): Generation | undefined {
  const latest = found.toSorted((a, b) => a.startedAt - b.startedAt).at(-1);
  if (!latest || latest.status === 'running' || latest.status === 'done' || latest.node === leaf.id) return undefined;
  const isSilent = latest.branches.some(({ head, status }) => head === latest.node && status !== 'done');
  return isSilent && path.some(({ id }) => id === latest.node) ? latest : undefined;
}

/** The last message of a person, and those behind it. */
function startsOf(path: readonly Node[]): readonly string[] {
  const asked = path.findLastIndex(({ role }) => role === 'user');
  const last = path.slice(Math.max(0, asked + 1)).slice(-LOOKED_AT);
  const ids = [...(asked < 0 ? [] : [path[asked]!]), ...last].map(({ id }) => id);
  return ids;
}

/** Which branch of a generation goes on where the path ends, or beside a reply of its own that was cut there. */
function branchAt({ id, status, branches }: Generation, leaf: Node, path: readonly Node[]): number {
  if (status !== 'running') return branches.findIndex((one) => one.head === leaf.id && one.status !== 'done');
  const isCut = leaf.takes.some(({ cut, generation }) => cut && generation === id);
  const exact = branches.findIndex(
    ({ head, status: now }) => now === 'running' && (head === leaf.id || (isCut && head === leaf.parent)),
  );
  if (exact >= 0) return exact;
  return branches.findIndex(({ head, status: now }) => now === 'running' && !path.some((node) => node.id === head));
}
