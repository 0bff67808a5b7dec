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
  readonly trees: readonly TreeBox[];
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const CARD_WIDTH = 176;
export const CARD_HEIGHT = 40;
const COLUMN = CARD_WIDTH + 40;
const ROW = CARD_HEIGHT + 12;

/** The room that one tree takes, with the line for its title above its cards. */
export interface TreeBox {
  /** The id of its first node. */
  readonly id: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

type Placing = PlacedCard & { x: number; y: number; children: PlacedCard[] };

/** The height of the line for the title of a tree. */
export const TITLE_HEIGHT = 28;
const GAP = 48;
/** The wanted ratio of width to height of a forest of many trees. */
const ASPECT = 1.6;

/** Computes a position for every fold; no two cards overlap. Trees are set in columns, from top to bottom. */
export function layOut(tops: readonly FoldedRun[]): Layout {
  const trees = tops.map(layOutTree);
  const area = trees.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0);
  const tallest = trees.reduce((most, { height }) => Math.max(most, height), 0);
  const limit = Math.max(tallest, Math.sqrt(area / ASPECT));
  const boxes: TreeBox[] = [];
  let [left, top, right] = [0, 0, 0];
  for (const { cards, width, height } of trees) {
    if (top > 0 && top + height > limit) [left, top] = [right + GAP, 0];
    for (const card of cards) {
      card.x += left;
      card.y += top;
    }
    boxes.push({ id: cards[0]!.fold.id, left, top, right: left + width, bottom: top + height });
    right = Math.max(right, left + width);
    top += height + GAP;
  }
  const placed: PlacedCard[] = trees.flatMap(({ cards }) => cards);
  placed.sort((a, b) => a.y - b.y || a.x - b.x);
  const of = new Map<string, PlacedCard>();
  for (const one of placed) for (const id of one.fold.ids) of.set(id, one);
  const bottom = boxes.reduce((most, box) => Math.max(most, box.bottom), 0);
  return { placed, of, trees: boxes, left: 0, right, top: 0, bottom };
}

/** One tree, from left to right, with its corner at 0. */
function layOutTree(top: FoldedRun) {
  const root = treeLayout<FoldedRun>()
    .nodeSize([ROW, COLUMN])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.25))(
    hierarchy<FoldedRun>(top, ({ children }) => [...children]),
  );
  const cards: Placing[] = [];
  const made = new Map<FoldedRun, Placing>();
  let [least, most, width] = [Infinity, -Infinity, 0];
  // Parents come before their children.
  root.each(({ data, x, y, parent }) => {
    const above = parent ? made.get(parent.data) : undefined;
    const one: Placing = { fold: data, x: y, y: x, parent: above, children: [] };
    made.set(data, one);
    above?.children.push(one);
    cards.push(one);
    least = Math.min(least, x);
    most = Math.max(most, x);
    width = Math.max(width, y + CARD_WIDTH);
  });
  for (const card of cards) card.y += TITLE_HEIGHT + CARD_HEIGHT / 2 - least;
  return { cards, width, height: TITLE_HEIGHT + most - least + CARD_HEIGHT };
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

/** The first card of the first tree. */
export function firstTop({ of, trees }: Layout): PlacedCard | undefined {
  return of.get(trees[0]?.id ?? '');
}

/** The first card of the tree before or after that of a card. */
export function stepTree({ of, trees }: Layout, from: PlacedCard, step: 1 | -1): PlacedCard {
  let top = from;
  while (top.parent) top = top.parent;
  const at = trees.findIndex(({ id }) => id === top.fold.id);
  return of.get(trees[at + step]?.id ?? '') ?? top;
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
