import type { TopologyNode } from '../api/types.ts';
import { usePreviews } from '../state/previews.ts';
import type { Look } from './draw.ts';
import { type Kind, kindOf } from './kinds.ts';
import type { Placed } from './layout.ts';
import type { Tree } from './tree.ts';

/** How every card looks. */
export function looksOf(
  tree: Tree<TopologyNode>,
  placed: readonly Placed[],
  path: ReadonlySet<string>,
  hidden: ReadonlySet<Kind>,
  found: ReadonlySet<string>,
): ReadonlyMap<string, Look> {
  return new Map(
    placed.map(({ fold }) => {
      const { id } = fold;
      const kind = fold.ids.length > 1 ? 'other' : kindOf(tree.nodes.get(id)!);
      return [id, { kind, isOnPath: path.has(id), isDim: hidden.has(kind), isFound: found.has(id) }];
    }),
  );
}

/** The two lines of a card. */
export function wordsOf(tree: Tree<TopologyNode>, { fold }: Placed): readonly [string, string] {
  if (fold.ids.length > 1) return ['in a line', `${fold.ids.length} messages`];
  const { role, model } = tree.nodes.get(fold.id)!;
  const text = usePreviews.getState().of.get(fold.id)?.text ?? '';
  return [model ?? role, text.replace(/^#+ /, '')];
}

/** A card for those who cannot see it. */
export function describe(tree: Tree<TopologyNode>, { fold, children }: Placed, preview = ''): string {
  if (fold.ids.length > 1) return `${fold.ids.length} messages in a line. Space unfolds them.`;
  const { role, model, depth } = tree.nodes.get(fold.id)!;
  const below = children.length === 0 ? 'an end' : children.length === 1 ? 'one answer' : `${children.length} branches`;
  return `${model ?? role}, depth ${depth}, ${below}: ${preview}`;
}
