import type { TopologyNode } from '@skein/forest';

/** Nodes in the order of the lines, each with what stands before it. Only where a history parts it moves to the right. */
export function drawn(items: readonly TopologyNode[], top: string): { id: string; indent: string }[] {
  const below = new Map<string, string[]>();
  for (const { id, parent } of items) below.set(parent, [...(below.get(parent) ?? []), id]);
  const lines: { id: string; indent: string }[] = [];
  // A list in place of recursion: a conversation can be deeper than the stack.
  const open = [{ id: top, first: '', rest: '' }];
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.id !== top) lines.push({ id: at.id, indent: at.first });
    const children = below.get(at.id) ?? [];
    const { rest } = at;
    const next = children.map((id, index) => {
      if (children.length === 1) return { id, first: rest, rest };
      const isLast = index === children.length - 1;
      return { id, first: `${rest}${isLast ? '└─ ' : '├─ '}`, rest: `${rest}${isLast ? '   ' : '│  '}` };
    });
    open.push(...next.toReversed());
  }
  return lines;
}
