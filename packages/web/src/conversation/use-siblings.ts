import { useEffect, useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { api, unwrap } from '../api/client.ts';
import { type Node, ROOT } from '../api/types.ts';
import { useCurrentThread } from '../state/current-thread.ts';
import { belongsTo, isInLineage } from '../state/lineage.ts';
import { useLive } from '../state/live.ts';
import type { GenerationOutline } from '../state/live-generation.ts';
import { ensureChildren, ensurePath, fetchNodes, getNode, useNodes } from '../state/nodes.ts';
import { currentLineage, currentThreadId, goTo, rememberLeaf, watchBranch } from '../state/place.ts';
import { alternatives, editedFrom, groupSiblings, liveBranchesBelow, type SiblingPosition } from './siblings.ts';
import type { LiveTail } from './use-thread.ts';

export interface Siblings {
  readonly positions: readonly SiblingPosition[];
  /** The index of the one on screen. */
  readonly index: number;
}

const NONE: Siblings = { positions: [], index: 0 };

/** The alternatives of a message, or of the live branch that grows where there is none yet. */
export function useSiblings(node: Node | undefined, tail?: LiveTail): Siblings {
  const parent = node?.parent ?? tail?.branch.head ?? '';
  const children = useChildren(parent);
  useEffect(() => {
    if (node?.parent === ROOT) for (const from of editedFrom(node)) void ensurePath(from).catch(() => undefined);
  }, [node]);
  const lives = useOwnLives();
  return useMemo(() => {
    if (node) return besideMessage(node, children, lives);
    return tail ? besideBranch(tail, children, lives) : NONE;
  }, [node, tail, children, lives]);
}

function besideMessage(node: Node, children: readonly Node[], lives: readonly GenerationOutline[]): Siblings {
  const { id, parent } = node;
  const known = alternatives(node, children.length > 0 ? children : [node]);
  const positions = [...groupSiblings(known), ...(parent === ROOT ? [] : liveBranchesBelow(parent, lives, children))];
  const index = positions.findIndex(({ nodes }) => nodes.some((one) => one.id === id));
  return { positions, index: Math.max(0, index) };
}

function besideBranch(tail: LiveTail, children: readonly Node[], lives: readonly GenerationOutline[]): Siblings {
  const shown = { generation: tail.live.id, branch: tail.index };
  const positions = [...groupSiblings(children), ...liveBranchesBelow(tail.branch.head, lives, children, shown)];
  const index = positions.findIndex(({ live }) => live?.generation === tail.live.id && live.branch === tail.index);
  return index < 0 ? NONE : { positions, index };
}

/** The live generations of the current conversation. */
function useOwnLives(): readonly GenerationOutline[] {
  const lineage = useCurrentThread()?.lineage;
  return useLive(
    useShallow(({ all }) => [...all.values()].filter((live) => lineage === undefined || belongsTo(live, lineage))),
  );
}

/** The children of a node; they are fetched if there may be more than the one on screen. */
export function useChildren(parent: string): readonly Node[] {
  const count = useNodes(({ nodes }) => nodes.get(parent)?.childCount ?? 0);
  useEffect(() => {
    if (parent === ROOT) void fetchFirstMessages().catch(() => undefined);
    else if (count > 1) void ensureChildren(parent).catch(() => undefined);
  }, [parent, count]);
  return useNodes(
    useShallow(({ nodes, children }) => (parent === ROOT ? beginnings(nodes) : listed(nodes, children.get(parent)))),
  );
}

function listed(nodes: ReadonlyMap<string, Node>, ids: readonly string[] = []): readonly Node[] {
  return ids.flatMap((id) => nodes.get(id) ?? []);
}

function beginnings(nodes: ReadonlyMap<string, Node>): readonly Node[] {
  return [...nodes.values()].filter((node) => node.parent === ROOT && !node.removed).sort((a, b) => a.at - b.at);
}

let firstMessages: Promise<unknown> | undefined;

/**
 * The first messages of conversations, to find those that are edits of each other. In a large forest only one page: what a
 * first message was edited from is fetched by id; edits of it are shown only if they are loaded.
 */
function fetchFirstMessages(): Promise<unknown> {
  firstMessages ??= fetchNodes(
    async () =>
      (await unwrap(api.nodes[':node'].children.$get({ param: { node: ROOT }, query: { limit: 200 } }))).items,
  );
  return firstMessages;
}

/** Shows another alternative at the same place. Of equal-looking nodes, the one of this conversation is preferred. */
export function goToPosition(position: SiblingPosition, parent: string): void {
  const lineage = currentLineage();
  const shown = position.nodes.find((node) => isInLineage(node, lineage)) ?? position.nodes[0];
  if (!shown && position.live && getNode(parent)) {
    rememberLeaf(currentThreadId(), parent);
    watchBranch(currentThreadId(), parent, position.live);
  }
  goTo(shown?.id ?? parent);
}
