import type { Node, Take } from '../api/types.ts';

/**
 * Whether a take belongs to a conversation: it names it, or one that it was forked from. One from before conversations were
 * named belongs to all that lead through its node.
 */
function isOwn({ thread }: Take, lineage: readonly string[]): boolean {
  return thread === undefined || lineage.includes(thread);
}

/** Whether a conversation had this message; any had where none is named. */
export function isInLineage({ takes }: Pick<Node, 'takes'>, lineage: readonly string[] | undefined): boolean {
  return lineage === undefined || takes.length === 0 || takes.some((take) => isOwn(take, lineage));
}

/** Whether nobody else had it. */
export function isOnlyInLineage({ takes }: Pick<Node, 'takes'>, lineage: readonly string[] | undefined): boolean {
  return lineage === undefined || takes.every((take) => isOwn(take, lineage));
}

const views = new WeakMap<Node, { readonly lineage: readonly string[]; readonly view: Node }>();

/**
 * A message as it is in a conversation: of several that had it, the takes of this one say who answered and what it cost. The
 * same object for the same message, so that nothing is drawn again.
 */
export function viewInLineage(node: Node, lineage: readonly string[] | undefined): Node {
  if (!lineage) return node;
  const known = views.get(node);
  if (known?.lineage === lineage) return known.view;
  const own = node.takes.filter((take) => isOwn(take, lineage));
  const view = own.length === 0 || own.length === node.takes.length ? node : { ...node, takes: own };
  views.set(node, { lineage, view });
  return view;
}
