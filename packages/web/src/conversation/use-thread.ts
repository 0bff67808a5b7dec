import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { navigate, pathHere } from '../api/base.ts';
import { type Lineage, type Node, ROOT } from '../api/types.ts';
import { addressOf } from '../state/address.ts';
import { useCurrentThread } from '../state/current-thread.ts';
import { inLineage, isOfLineage } from '../state/lineage.ts';
import { useLive } from '../state/live.ts';
import type { Live, LiveBranch } from '../state/live-generation.ts';
import { ensureChildren, ensurePath, nodeOf, pathTo, useNodes } from '../state/nodes.ts';
import { goTo, keyOf, openPlace, sawLeaf, usePlace, type Watched, watch } from '../state/place.ts';
import { useGenerations } from './use-generations.ts';

/** What grows behind the last message. */
export interface Tail {
  readonly live: Live;
  readonly branch: LiveBranch;
  readonly index: number;
}

export interface ShownThread {
  /** The conversation; absent for messages that are in none. */
  readonly owner?: Lineage;
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

/**
 * A conversation, or a message that is in none: the path through the selected message to where it goes on, and what grows
 * there. Without a message it is opened at its head.
 */
export function useThread(thread: string | undefined, node: string | undefined): Opening {
  const { error, retry } = useOpen(thread, node);
  const id = node ?? '';
  const nodes = useNodes((state) => state.nodes);
  const current = useCurrentThread();
  const owner = current?.id === thread ? current : undefined;
  const lineage = owner?.lineage;
  const remembered = usePlace(({ leafOf }) => leafOf.get(keyOf(thread, id)));
  const watched = usePlace((state) =>
    remembered === undefined ? undefined : state.watched.get(keyOf(thread, remembered)),
  );
  const live = useLive(({ all }) => (watched ? all.get(watched.generation) : undefined));
  const branch = watched && live?.branches[watched.branch];
  const end = remembered !== undefined && branch ? endOf(remembered, branch, live!) : remembered;
  const path = useMemo(() => pathTo(nodes, end ?? id).map((one) => inLineage(one, lineage)), [nodes, end, id, lineage]);
  const selected = path.find((one) => one.id === id);
  const leaf = path.at(-1);
  const first = path[0];
  const shown = useRef<string>(undefined);
  // Where a conversation is on screen already, a message of it is shown before it is known how it goes on: what is above
  // stays as it is.
  const isKnown = end !== undefined || shown.current === first?.id;
  const isOwned = thread === undefined || owner !== undefined;
  const isWhole = first?.parent === ROOT && selected !== undefined && isKnown && isOwned;
  useEffect(() => {
    if (isWhole) shown.current = first.id;
  }, [isWhole, first]);

  useKeepUp({ thread, lineage, id, remembered, end, watched, branch });
  useRenewal(end, retry);
  useGenerations(owner, isWhole ? path : []);

  if (!isWhole || !leaf) return { retry, ...(error !== undefined && { error }) };
  const tail =
    live && branch && watched && branch.head === leaf.id && branch.status !== 'done'
      ? { live, branch, index: watched.branch }
      : undefined;
  return { retry, thread: { ...(owner && { owner }), selected, leaf, path, ...(tail && { tail }) } };
}

function useOpen(
  thread: string | undefined,
  node: string | undefined,
): { readonly error: unknown; readonly retry: () => void } {
  const place = addressOf(thread, node);
  const [failure, setFailure] = useState<{ readonly place: string; readonly error: unknown }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is made by counting it
  useEffect(() => {
    openPlace(thread, node).then(
      (opened) => {
        const address = addressOf(opened.thread, opened.node);
        // Whoever went elsewhere meanwhile is left there.
        if (address !== place && pathHere() === place) navigate(address, { replace: true });
      },
      (error: unknown) => setFailure({ place, error }),
    );
  }, [place, attempt]);
  const retry = () => {
    setFailure(undefined);
    setAttempt((count) => count + 1);
  };
  return { error: failure?.place === place ? failure.error : undefined, retry };
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
  readonly thread: string | undefined;
  readonly lineage: readonly string[] | undefined;
  readonly id: string;
  readonly remembered: string | undefined;
  readonly end: string | undefined;
  readonly watched: Watched | undefined;
  readonly branch: LiveBranch | undefined;
}

/** Remembers where the thread has got to, here or elsewhere; who reads its end stays at its end. */
function useKeepUp({ thread, lineage, id, remembered, end, watched, branch }: KeepUp): void {
  useLayoutEffect(() => {
    if (remembered === undefined || end === undefined || end === remembered) return;
    watch(thread, remembered, undefined);
    watch(thread, end, watched);
    sawLeaf(thread, end);
    if (id === remembered) goTo(end, { replace: true });
  }, [thread, id, remembered, end, watched]);

  const isDone = branch?.status === 'done' && branch.head === end;
  useEffect(() => {
    if (isDone && end !== undefined) watch(thread, end, undefined);
  }, [isDone, thread, end]);

  useEffect(() => {
    if (end !== undefined) void ensureChildren(end).catch(() => undefined);
  }, [end]);
  // Where others went on from the same message is none of this conversation's business.
  const isOwned = thread === undefined || lineage !== undefined;
  const grown = useNodes(({ nodes, children }) =>
    end === undefined || !isOwned
      ? undefined
      : children.get(end)?.findLast((child) => isOfLineage(nodes.get(child)!, lineage)),
  );
  useEffect(() => {
    if (grown === undefined || watched !== undefined || end === undefined || !nodeOf(end)) return;
    sawLeaf(thread, grown);
    if (id === end) goTo(grown, { replace: true });
  }, [grown, watched, thread, end, id]);
}
