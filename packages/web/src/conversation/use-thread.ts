import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type Node, ROOT } from '../api/types.ts';
import { useLive } from '../state/live.ts';
import type { Live, LiveBranch } from '../state/live-generation.ts';
import { ensureChildren, ensurePath, nodeOf, pathTo, useNodes } from '../state/nodes.ts';
import { goTo, openNode, sawLeaf, usePlace, type Watched, watch } from '../state/place.ts';
import { useGenerations } from './use-generations.ts';

/** What grows behind the last message. */
export interface Tail {
  readonly live: Live;
  readonly branch: LiveBranch;
  readonly index: number;
}

export interface ShownThread {
  readonly selected: Node;
  readonly leaf: Node;
  readonly path: readonly Node[];
  readonly tail?: Tail;
}

export interface Opening {
  readonly thread?: ShownThread;
  readonly error?: unknown;
  readonly retry: () => void;
}

/** The thread that leads through a node, to the leaf that was last seen below it, and what grows there. */
export function useThread(id: string): Opening {
  const { error, retry } = useOpen(id);
  const nodes = useNodes((state) => state.nodes);
  const remembered = usePlace(({ leafOf }) => leafOf.get(id));
  const watched = usePlace((state) => (remembered === undefined ? undefined : state.watched.get(remembered)));
  const live = useLive(({ all }) => (watched ? all.get(watched.generation) : undefined));
  const branch = watched && live?.branches[watched.branch];
  const end = remembered !== undefined && branch ? endOf(remembered, branch, live!) : remembered;
  const path = useMemo(() => pathTo(nodes, end ?? id), [nodes, end, id]);
  const selected = path.find((node) => node.id === id);
  const leaf = path.at(-1);
  const first = path[0];
  const shown = useRef<string>(undefined);
  // Where a conversation is on screen already, a message of it is shown before it is known how it goes on: what is above
  // stays as it is.
  const isKnown = end !== undefined || shown.current === first?.id;
  const isWhole = first?.parent === ROOT && selected !== undefined && isKnown;
  useEffect(() => {
    if (isWhole) shown.current = first.id;
  }, [isWhole, first]);

  useKeepUp({ id, remembered, end, watched, branch });
  useRenewal(end, retry);
  useGenerations(isWhole ? path : []);

  if (!isWhole || !leaf) return { retry, ...(error !== undefined && { error }) };
  const tail =
    live && branch && watched && branch.head === leaf.id && branch.status !== 'done'
      ? { live, branch, index: watched.branch }
      : undefined;
  return { retry, thread: { selected, leaf, path, ...(tail && { tail }) } };
}

function useOpen(id: string): { readonly error: unknown; readonly retry: () => void } {
  const [failure, setFailure] = useState<{ readonly id: string; readonly error: unknown }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is made by counting it
  useEffect(() => {
    openNode(id).then(
      ({ node }) => node !== id && goTo(node, { replace: true }),
      (error: unknown) => setFailure({ id, error }),
    );
  }, [id, attempt]);
  const retry = () => {
    setFailure(undefined);
    setAttempt((count) => count + 1);
  };
  return { error: failure?.id === id ? failure.error : undefined, retry };
}

/** Where the thread ends: with the branch that is watched, also when it goes on beside what was cut. */
function endOf(leaf: string, branch: LiveBranch, live: Live): string {
  const { nodes } = useNodes.getState();
  if (branch.head === leaf) return leaf;
  if (pathTo(nodes, branch.head).some(({ id }) => id === leaf)) return branch.head;
  const isCut = nodeOf(leaf)?.takes.some(({ cut, generation }) => cut && generation === live.id) ?? false;
  return isCut && live.status === 'running' && nodeOf(leaf)?.parent === branch.head ? branch.head : leaf;
}

/** What is shown stays while it is asked for again; what is not there, or no longer, is opened anew. */
function useRenewal(end: string | undefined, reopen: () => void): void {
  const renewals = useNodes((state) => state.renewals);
  const seen = useRef(renewals);
  useEffect(() => {
    if (seen.current === renewals) return;
    seen.current = renewals;
    if (end === undefined) reopen();
    else ensurePath(end).catch(reopen);
  }, [renewals, end, reopen]);
}

interface KeepUp {
  readonly id: string;
  readonly remembered: string | undefined;
  readonly end: string | undefined;
  readonly watched: Watched | undefined;
  readonly branch: LiveBranch | undefined;
}

/** Remembers where the thread has got to, here or elsewhere; who reads its end stays at its end. */
function useKeepUp({ id, remembered, end, watched, branch }: KeepUp): void {
  useLayoutEffect(() => {
    if (remembered === undefined || end === undefined || end === remembered) return;
    watch(remembered, undefined);
    watch(end, watched);
    sawLeaf(end);
    if (id === remembered) goTo(end, { replace: true });
  }, [id, remembered, end, watched]);

  const isDone = branch?.status === 'done' && branch.head === end;
  useEffect(() => {
    if (isDone && end !== undefined) watch(end, undefined);
  }, [isDone, end]);

  useEffect(() => {
    if (end !== undefined) void ensureChildren(end).catch(() => undefined);
  }, [end]);
  const grown = useNodes(({ children }) => (end === undefined ? undefined : children.get(end)?.at(-1)));
  useEffect(() => {
    if (grown === undefined || watched !== undefined || end === undefined || !nodeOf(end)) return;
    sawLeaf(grown);
    if (id === end) goTo(grown, { replace: true });
  }, [grown, watched, end, id]);
}
