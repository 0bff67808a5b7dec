import { useQueries } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { navigate, pathHere } from '../api/base.ts';
import { queries } from '../api/queries.ts';
import { type Generation, type Lineage, type Node, ROOT } from '../api/types.ts';
import { toAddress } from '../state/address.ts';
import { useCurrentThread } from '../state/current-thread.ts';
import { belongsTo, isInLineage, viewInLineage } from '../state/lineage.ts';
import { showGeneration, useLive } from '../state/live.ts';
import type { BranchOutline, GenerationOutline } from '../state/live-generation.ts';
import { ensureChildren, ensurePath, getNode, pathTo, useNodes } from '../state/nodes.ts';
import { goTo, openPlace, placeKey, rememberLeaf, usePlace, type WatchedBranch, watchBranch } from '../state/place.ts';

/** The live branch after the last message. */
export interface LiveTail {
  readonly live: GenerationOutline;
  readonly branch: BranchOutline;
  readonly index: number;
}

export interface ShownThread {
  /** The conversation; absent for a message that is in none. */
  readonly owner?: Lineage;
  readonly selected: Node;
  readonly leaf: Node;
  readonly path: readonly Node[];
  readonly tail?: LiveTail;
}

interface OpenedThread {
  readonly thread?: ShownThread;
  readonly error?: unknown;
  readonly retry: () => void;
}

/**
 * A conversation, or a message that is in none: the path through the selected message to its leaf, and the live branch
 * there. Without a message the conversation is opened at its head.
 */
export function useThread(thread: string | undefined, node: string | undefined): OpenedThread {
  const { error, retry } = useOpen(thread, node);
  const id = node ?? '';
  const nodes = useNodes((state) => state.nodes);
  const current = useCurrentThread();
  const owner = current?.id === thread ? current : undefined;
  const lineage = owner?.lineage;
  const remembered = usePlace(({ leafOf }) => leafOf.get(placeKey(thread, id)));
  const watched = usePlace((state) =>
    remembered === undefined ? undefined : state.watched.get(placeKey(thread, remembered)),
  );
  const live = useLive(({ all }) => (watched ? all.get(watched.generation) : undefined));
  const branch = watched && live?.branches[watched.branch];
  const end = remembered !== undefined && branch ? findEnd(remembered, branch, live!) : remembered;
  const path = useMemo(
    () => pathTo(nodes, end ?? id).map((one) => viewInLineage(one, lineage)),
    [nodes, end, id, lineage],
  );
  const selected = path.find((one) => one.id === id);
  const leaf = path.at(-1);
  const first = path[0];
  const shown = useRef<string>(undefined);
  // If the conversation is on screen already, a message of it is shown before its leaf is known: what is above it stays
  // the same.
  const isKnown = end !== undefined || shown.current === first?.id;
  const isOwned = thread === undefined || owner !== undefined;
  const isWhole = first?.parent === ROOT && selected !== undefined && isKnown && isOwned;
  useEffect(() => {
    if (isWhole) shown.current = first.id;
  }, [isWhole, first]);

  useFollow({ thread, lineage, id, remembered, end, watched, branch });
  useReload(end, retry);
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
  const place = toAddress(thread, node);
  const [failure, setFailure] = useState<{ readonly place: string; readonly error: unknown }>();
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is made by counting it
  useEffect(() => {
    openPlace(thread, node).then(
      (opened) => {
        const address = toAddress(opened.thread, opened.node);
        // If the reader went elsewhere meanwhile, the address stays.
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

/** The last message of the thread: the head of the watched branch, even if that was resumed beside a cut message. */
function findEnd(leaf: string, branch: BranchOutline, live: GenerationOutline): string {
  const { nodes } = useNodes.getState();
  if (branch.head === leaf) return leaf;
  if (pathTo(nodes, branch.head).some(({ id }) => id === leaf)) return branch.head;
  const isCut = getNode(leaf)?.takes.some(({ cut, generation }) => cut && generation === live.id) ?? false;
  return isCut && live.status === 'running' && getNode(leaf)?.parent === branch.head ? branch.head : leaf;
}

/** Reloads an outdated path while it stays on screen; reopens the place if the path cannot be loaded. */
function useReload(end: string | undefined, reopen: () => void): void {
  const renewals = useNodes((state) => state.renewals);
  const seen = useRef(renewals);
  useEffect(() => {
    if (seen.current === renewals) return;
    seen.current = renewals;
    if (end === undefined) reopen();
    else ensurePath(end).catch(reopen);
  }, [renewals, end, reopen]);
}

interface FollowOptions {
  readonly thread: string | undefined;
  readonly lineage: readonly string[] | undefined;
  readonly id: string;
  readonly remembered: string | undefined;
  readonly end: string | undefined;
  readonly watched: WatchedBranch | undefined;
  readonly branch: BranchOutline | undefined;
}

/** Follows the thread as it grows, here or elsewhere. A reader at its end stays at its end. */
function useFollow({ thread, lineage, id, remembered, end, watched, branch }: FollowOptions): void {
  useLayoutEffect(() => {
    if (remembered === undefined || end === undefined || end === remembered) return;
    watchBranch(thread, remembered, undefined);
    watchBranch(thread, end, watched);
    rememberLeaf(thread, end);
    if (id === remembered) goTo(end, { replace: true });
  }, [thread, id, remembered, end, watched]);

  const isDone = branch?.status === 'done' && branch.head === end;
  useEffect(() => {
    if (isDone && end !== undefined) watchBranch(thread, end, undefined);
  }, [isDone, thread, end]);

  useEffect(() => {
    if (end !== undefined) void ensureChildren(end).catch(() => undefined);
  }, [end]);
  // Continuations of other conversations from the same message do not count.
  const isOwned = thread === undefined || lineage !== undefined;
  const grown = useNodes(({ nodes, children }) =>
    end === undefined || !isOwned
      ? undefined
      : children.get(end)?.findLast((child) => isInLineage(nodes.get(child)!, lineage)),
  );
  useEffect(() => {
    if (grown === undefined || watched !== undefined || end === undefined || !getNode(end)) return;
    rememberLeaf(thread, grown);
    if (id === end) goTo(grown, { replace: true });
  }, [grown, watched, thread, end, id]);
}

/** How many messages before the end are searched: a run of tool calls may have begun that far up. */
const LOOKED_AT = 4;

/** Finds running, waiting and failed generations at the end of a path, whoever started them, and shows them. */
function useGenerations(owner: Lineage | undefined, path: readonly Node[]): void {
  const thread = owner?.id;
  const found = useQueries({
    queries: listAnswered(path).map((id) => queries.generationsBelow(id)),
    // Two people may write the same at the same moment; each sees their own answer grow.
    combine: (results) =>
      results.flatMap(({ data }) => (data?.items ?? []).filter((one) => !owner || belongsTo(one, owner.lineage))),
  });
  const leaf = path.at(-1);
  useEffect(() => {
    if (!leaf) return;
    const open = found.filter(({ status }) => status !== 'done');
    for (const generation of open.reverse()) {
      const branch = branchAt(generation, leaf, path);
      if (branch < 0) continue;
      showGeneration(generation);
      if (!usePlace.getState().watched.has(placeKey(thread, leaf.id)))
        watchBranch(thread, leaf.id, { generation: generation.id, branch });
      return;
    }
    const silent = silentAfter(found, leaf, path);
    if (silent) showGeneration(silent);
  }, [found, leaf, path, thread]);
}

/** The latest generation if it ended without text beside the answer on screen: it is one of the alternatives. */
function silentAfter(found: readonly Generation[], leaf: Node, path: readonly Node[]): Generation | undefined {
  const latest = found.toSorted((a, b) => a.startedAt - b.startedAt).at(-1);
  if (!latest || latest.status === 'running' || latest.status === 'done' || latest.node === leaf.id) return undefined;
  const isSilent = latest.branches.some(({ head, status }) => head === latest.node && status !== 'done');
  return isSilent && path.some(({ id }) => id === latest.node) ? latest : undefined;
}

/** The last message of a person, and those after it. */
function listAnswered(path: readonly Node[]): readonly string[] {
  const asked = path.findLastIndex(({ role }) => role === 'user');
  const last = path.slice(Math.max(0, asked + 1)).slice(-LOOKED_AT);
  const ids = [...(asked < 0 ? [] : [path[asked]!]), ...last].map(({ id }) => id);
  return ids;
}

/** The branch of a generation that continues at the end of the path, or beside its own reply that was cut there. */
function branchAt({ id, status, branches }: Generation, leaf: Node, path: readonly Node[]): number {
  if (status !== 'running') return branches.findIndex((one) => one.head === leaf.id && one.status !== 'done');
  const isCut = leaf.takes.some(({ cut, generation }) => cut && generation === id);
  const exact = branches.findIndex(
    ({ head, status: now }) => now === 'running' && (head === leaf.id || (isCut && head === leaf.parent)),
  );
  if (exact >= 0) return exact;
  return branches.findIndex(({ head, status: now }) => now === 'running' && !path.some((node) => node.id === head));
}
