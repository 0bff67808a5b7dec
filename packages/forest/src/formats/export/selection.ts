import { allItems, type Forest, type ForestNode } from '../../forest/index.ts';

/** What to export: one message, the history up to a node, a node with everything below it, a thread, or everything. */
export type ExportSelection =
  | { readonly node: string }
  | { readonly path: string }
  | { readonly below: string }
  | { readonly thread: string }
  | 'everything';

/** The node that a selection leads to. */
export async function selectionEnd(forest: Forest, of: Exclude<ExportSelection, 'everything'>): Promise<string> {
  if ('thread' in of) return (await forest.threads.get(of.thread)).head;
  if ('below' in of) return forest.resolve(of.below);
  return forest.resolve('path' in of ? of.path : of.node);
}

/** Returns a function that yields the selected children of a node; the path to the selection is part of it. */
export async function selectedChildren(
  forest: Forest,
  of: ExportSelection,
): Promise<(id: string) => AsyncGenerator<ForestNode>> {
  const every = (id: string) => allItems((page) => forest.children(id, page));
  if (of === 'everything') return every;
  const end = await selectionEnd(forest, of);
  const path = await forest.path(end);
  const above = new Map(path.map((node) => [node.parent, node]));
  return async function* (id) {
    const next = above.get(id);
    if (next) yield next;
    else if ('below' in of) yield* every(id);
  };
}
