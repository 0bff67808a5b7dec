import { hierarchy, tree as treeLayout } from 'd3-hierarchy';
import type { FoldedRun } from './fold.ts';

/** A fold and its position. Trees grow from left to right; (x, y) is the middle of the card's left edge. */
export interface PlacedCard {
  readonly fold: FoldedRun;
  readonly x: number;
  readonly y: number;
  readonly parent: PlacedCard | undefined;
  readonly children: readonly PlacedCard[];
}

export interface Layout {
  /** From top to bottom. */
  readonly placed: readonly PlacedCard[];
  readonly of: ReadonlyMap<string, PlacedCard>;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const CARD_WIDTH = 176;
export const CARD_HEIGHT = 40;
const COLUMN = CARD_WIDTH + 40;
const ROW = CARD_HEIGHT + 12;

/** Computes a position for every fold; no two cards overlap. */
export function layOut(tops: readonly FoldedRun[]): Layout {
  const forest: FoldedRun = { id: '', ids: [], children: tops };
  const root = hierarchy<FoldedRun>(forest, ({ children }) => [...children]);
  const laid = treeLayout<FoldedRun>()
    .nodeSize([ROW, COLUMN])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.25))(root);
  const made = new Map<string, PlacedCard & { children: PlacedCard[] }>();
  // Parents come before their children.
  laid.each(({ data, x, y, parent }) => {
    if (data === forest) return;
    const above = parent && made.get(parent.data.id);
    const one = { fold: data, x: y - COLUMN, y: x, parent: above ?? undefined, children: [] as PlacedCard[] };
    made.set(data.id, one);
    above?.children.push(one);
  });
  const placed = [...made.values()].sort((a, b) => a.y - b.y || a.x - b.x);
  const of = new Map(placed.flatMap((one) => one.fold.ids.map((id) => [id, one] as const)));
  const right = placed.reduce((most, { x }) => Math.max(most, x), 0) + CARD_WIDTH;
  const half = CARD_HEIGHT / 2;
  return { placed, of, left: 0, right, top: (placed[0]?.y ?? 0) - half, bottom: (placed.at(-1)?.y ?? 0) + half };
}

/** The cards between two heights, by binary search. */
export function cardsBetween(placed: readonly PlacedCard[], top: number, bottom: number): readonly PlacedCard[] {
  return placed.slice(firstFrom(placed, top - CARD_HEIGHT), firstFrom(placed, bottom + CARD_HEIGHT));
}

function firstFrom(placed: readonly PlacedCard[], y: number): number {
  let low = 0;
  let high = placed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placed[middle]!.y < y) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The card at a point. */
export function cardAt(layout: Layout, x: number, y: number): PlacedCard | undefined {
  return cardsBetween(layout.placed, y, y).find(
    (one) => x >= one.x && x <= one.x + CARD_WIDTH && Math.abs(y - one.y) <= CARD_HEIGHT / 2,
  );
}

/** The highest card that has no parent. */
export function firstTop({ placed }: Layout): PlacedCard | undefined {
  return placed.find(({ parent }) => !parent);
}

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** The card that an arrow key leads to: the parent, a child, or the next card up or down in the same column. */
export function stepFrom(
  layout: Layout,
  from: PlacedCard,
  direction: Direction,
  isOnPath: (id: string) => boolean,
): PlacedCard {
  if (direction === 'ArrowLeft') return from.parent ?? from;
  if (direction === 'ArrowRight')
    return from.children.find(({ fold }) => isOnPath(fold.id)) ?? middleChild(from.children) ?? from;
  const column = layout.placed.filter(({ x }) => x === from.x);
  const index = column.indexOf(from);
  return column[direction === 'ArrowUp' ? index - 1 : index + 1] ?? from;
}

function middleChild(list: readonly PlacedCard[]): PlacedCard | undefined {
  return list[Math.floor((list.length - 1) / 2)];
}
