import { type Block, type Node, ROOT } from '../api/types.ts';
import { unknownText } from '../blocks/json-text.ts';
import type { GenerationOutline } from '../state/live-generation.ts';
import type { WatchedBranch } from '../state/place.ts';

/** One of the alternatives at a place: nodes that look the same, or a branch that is still being generated. */
export interface SiblingPosition {
  readonly nodes: readonly Node[];
  readonly live?: WatchedBranch;
}

/** Groups siblings that look the same into one position, oldest first. */
export function groupSiblings(siblings: readonly Node[]): readonly SiblingPosition[] {
  const groups = new Map<string, Node[]>();
  for (const node of siblings) {
    const key = toComparable(node);
    const group = groups.get(key);
    if (group) group.push(node);
    else groups.set(key, [node]);
  }
  return [...groups.values()].map((nodes) => ({ nodes }));
}

/**
 * The branches without a message below a node yet: running ones, and those of the latest generation that ended without text
 * and can be resumed. A message may be loaded a moment before its branch is reported to have advanced; then one branch less
 * is counted, but never the one on screen.
 */
export function liveBranchesBelow(
  parent: string,
  lives: Iterable<GenerationOutline>,
  children: readonly Node[],
  shown?: WatchedBranch,
): readonly SiblingPosition[] {
  const all = [...lives];
  const latest = all.findLast(({ node }) => node === parent);
  return all.flatMap((live) => {
    const { id, branches } = live;
    const arrived = children.filter((node) => node.takes.some((take) => take.generation === id && !take.cut)).length;
    const growing = branches.flatMap(({ head, status }, branch) =>
      head === parent && (status === 'running' || (live === latest && status !== 'done'))
        ? [{ nodes: [], live: { generation: id, branch } }]
        : [],
    );
    let surplus = growing.length - (branches.length - arrived);
    return growing.filter(({ live: { branch } }) => {
      const isShown = shown?.generation === id && shown.branch === branch;
      return isShown || surplus-- <= 0;
    });
  });
}

/**
 * The children of a node that are alternatives of one another. All conversations begin below the root, so there only
 * messages that are edits of each other count.
 */
export function alternatives(node: Node, children: readonly Node[]): readonly Node[] {
  if (node.parent !== ROOT) return children;
  const related = new Set([node.id]);
  for (let size = 0; size !== related.size; ) {
    size = related.size;
    for (const one of children) {
      const from = editedFrom(one);
      if (from.some((id) => related.has(id))) related.add(one.id);
      if (related.has(one.id)) for (const id of from) related.add(id);
    }
  }
  return children.filter(({ id }) => related.has(id));
}

/** The ids of the messages that a message was edited from. */
export function editedFrom({ takes }: Node): readonly string[] {
  return takes.flatMap(({ via, from }) => (via === 'edit' && from !== undefined ? [from] : []));
}

function toComparable(node: Node): string {
  return JSON.stringify([node.role, node.content.flatMap(visible)]);
}

function visible(block: Block): readonly unknown[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [block.text.trim()];
    case 'reasoning':
      return [];
    case 'tool-use':
      return [['call', block.name, block.rawParameters]];
    case 'tool-result':
      return [['result', block.isError, block.content.flatMap(visible)]];
    case 'media':
    case 'refusal':
    case 'unknown':
      return [block];
    default:
      return [unknownText(block)];
  }
}
