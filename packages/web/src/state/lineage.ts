import type { Node } from '../api/types.ts';

/**
 * Whether a take or a generation belongs to a conversation: it names the conversation or one that it was forked from. An old
 * one that names none belongs to all conversations through its node.
 */
export function belongsTo({ thread }: { readonly thread?: string | undefined }, lineage: readonly string[]): boolean {
  return thread === undefined || lineage.includes(thread);
}

/** Whether a conversation contains this message; always true without a lineage. */
export function isInLineage({ takes }: Pick<Node, 'takes'>, lineage: readonly string[] | undefined): boolean {
  return lineage === undefined || takes.length === 0 || takes.some((take) => belongsTo(take, lineage));
}

/** Whether no other conversation contains it. */
export function isOnlyInLineage({ takes }: Pick<Node, 'takes'>, lineage: readonly string[] | undefined): boolean {
  return lineage === undefined || takes.every((take) => belongsTo(take, lineage));
}

const views = new WeakMap<Node, { readonly lineage: readonly string[]; readonly view: Node }>();

/**
 * A message with only the takes of one conversation, which say who answered there and at what cost. The same message gives
 * the same object, so that nothing is rendered again.
 */
export function viewInLineage(node: Node, lineage: readonly string[] | undefined): Node {
  if (!lineage) return node;
  const known = views.get(node);
  if (known?.lineage === lineage) return known.view;
  const own = node.takes.filter((take) => belongsTo(take, lineage));
  const view = own.length === 0 || own.length === node.takes.length ? node : { ...node, takes: own };
  views.set(node, { lineage, view });
  return view;
}
