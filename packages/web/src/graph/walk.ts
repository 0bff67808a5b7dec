import type { Layout, Placed } from './layout.ts';

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** The card an arrow key leads to: the parent, a child, or the nearest one above or below in the same column. */
export function stepFrom(
  layout: Layout,
  from: Placed,
  direction: Direction,
  isOnPath: (id: string) => boolean,
): Placed {
  if (direction === 'ArrowLeft') return from.parent ?? from;
  if (direction === 'ArrowRight')
    return from.children.find(({ fold }) => isOnPath(fold.id)) ?? middleOf(from.children) ?? from;
  const column = layout.placed.filter(({ x }) => x === from.x);
  const index = column.indexOf(from);
  return column[direction === 'ArrowUp' ? index - 1 : index + 1] ?? from;
}

function middleOf(list: readonly Placed[]): Placed | undefined {
  return list[Math.floor((list.length - 1) / 2)];
}
