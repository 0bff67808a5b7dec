/** The least that a node of a tree has. */
export interface TreeNode {
  readonly id: string;
  readonly parent: string;
}

export interface Tree<T extends TreeNode = TreeNode> {
  /** Nodes whose parent is not in the tree, in order. */
  readonly tops: readonly string[];
  readonly nodes: ReadonlyMap<string, T>;
  readonly children: ReadonlyMap<string, readonly string[]>;
}

/** Builds a tree from nodes in any order. Children keep the order in which they come. */
export function buildTree<T extends TreeNode>(items: readonly T[]): Tree<T> {
  const nodes = new Map(items.map((item) => [item.id, item]));
  const children = new Map<string, string[]>();
  const tops: string[] = [];
  for (const { id, parent } of nodes.values()) {
    if (!nodes.has(parent)) {
      tops.push(id);
      continue;
    }
    const list = children.get(parent);
    if (list) list.push(id);
    else children.set(parent, [id]);
  }
  return { tops, nodes, children };
}

export function getChildren(tree: Tree, id: string): readonly string[] {
  return tree.children.get(id) ?? [];
}

/** A node and its ancestors, nearest first. */
export function* ancestors(tree: Tree, id: string): Generator<string> {
  for (let node = tree.nodes.get(id); node; node = tree.nodes.get(node.parent)) yield node.id;
}
