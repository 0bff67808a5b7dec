import type { Forest } from '../../forest/forest.ts';
import { everyItem } from '../../forest/pages.ts';
import type { ForestNode } from '../../forest/read/read-nodes.ts';
import type { ExportOf } from './types.ts';

/** The node that a part of a forest leads to. */
export async function endOf(forest: Forest, of: Exclude<ExportOf, 'everything'>): Promise<string> {
  if ('thread' in of) return (await forest.threads.get(of.thread)).head;
  if ('below' in of) return forest.resolve(of.below);
  return forest.resolve('path' in of ? of.path : of.node);
}

/** The children of a node that belong to a part of a forest; what leads to the part belongs to it. */
export async function childrenInside(
  forest: Forest,
  of: ExportOf,
): Promise<(id: string) => AsyncGenerator<ForestNode>> {
  const every = (id: string) => everyItem((page) => forest.children(id, page));
  if (of === 'everything') return every;
  const end = await endOf(forest, of);
  const path = await forest.path(end);
  const above = new Map(path.map((node) => [node.parent, node]));
  return async function* (id) {
    const next = above.get(id);
    if (next) yield next;
    else if ('below' in of) yield* every(id);
  };
}
