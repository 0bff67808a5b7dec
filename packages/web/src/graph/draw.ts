import type { Camera, Size } from './camera.ts';
import { drawCard } from './draw-card.ts';
import type { Kind } from './kinds.ts';
import { between, CARD_HEIGHT, CARD_WIDTH, type Layout, type Placed } from './layout.ts';
import type { Palette } from './palette.ts';

/** What a card shows besides its place. */
export interface Look {
  readonly kind: Kind;
  readonly isOnPath: boolean;
  /** The legend leaves it out. */
  readonly isDim: boolean;
  readonly isFound: boolean;
}

export interface Scene {
  readonly layout: Layout;
  readonly looks: ReadonlyMap<string, Look>;
  readonly palette: Palette;
  /** The first line of a card, and the second. */
  readonly words: (placed: Placed) => readonly [string, string];
  readonly focused: string | undefined;
}

/** From here on cards are read; farther away they are coloured bars. */
export const READABLE = 0.4;

/** Draws what the camera sees. Gives back the cards that can be read. */
export function draw(context: CanvasRenderingContext2D, scene: Scene, camera: Camera, size: Size): readonly Placed[] {
  const { layout, palette } = scene;
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = palette.page;
  context.fillRect(0, 0, size.width, size.height);
  const { left, top, scale } = camera;
  context.setTransform(scale * ratio, 0, 0, scale * ratio, left * ratio, top * ratio);
  const from = (0 - left) / scale;
  const to = (size.width - left) / scale;
  const seen = between(layout.placed, (0 - top) / scale, (size.height - top) / scale).filter(
    // The line that leads to a card begins at its parent.
    ({ x, parent }) => x + CARD_WIDTH >= from && (parent ? parent.x + CARD_WIDTH : x) <= to,
  );
  drawEdges(context, scene, seen, scale);
  if (scale < READABLE) {
    drawBars(context, scene, seen, scale);
    return [];
  }
  const cards = seen.filter(({ x }) => x <= to);
  for (const placed of cards) drawCard(context, scene, placed);
  return cards;
}

function drawEdges(context: CanvasRenderingContext2D, scene: Scene, seen: readonly Placed[], scale: number): void {
  const { looks, palette } = scene;
  const isOnPath = ({ fold }: Placed) => looks.get(fold.id)?.isOnPath === true;
  const stroke = (placed: readonly Placed[], color: string, width: number) => {
    context.beginPath();
    for (const one of placed) if (one.parent) edge(context, one.parent, one, scale >= READABLE);
    context.strokeStyle = color;
    context.lineWidth = width / Math.min(1, scale);
    context.stroke();
  };
  stroke(
    seen.filter((one) => !isOnPath(one)),
    scale < READABLE / 2 ? palette.line : palette.edge,
    scale < READABLE ? 0.75 : 1,
  );
  stroke(seen.filter(isOnPath), palette.accent, 2);
}

function edge(context: CanvasRenderingContext2D, from: Placed, to: Placed, isRound: boolean): void {
  const start = from.x + CARD_WIDTH;
  context.moveTo(start, from.y);
  const middle = (start + to.x) / 2;
  if (isRound) context.bezierCurveTo(middle, from.y, middle, to.y, to.x, to.y);
  else context.lineTo(to.x, to.y);
}

/** Without words, and one colour after the other: thousands are drawn in a few milliseconds. */
function drawBars(context: CanvasRenderingContext2D, scene: Scene, seen: readonly Placed[], scale: number): void {
  const { looks, palette, focused } = scene;
  // At least two pixels high, or it could not be seen.
  const height = Math.max(CARD_HEIGHT * 0.6, 2 / scale);
  const bar = ({ x, y, fold }: Placed, grow: number) => {
    // A run is a thin line between cards.
    const tall = fold.ids.length > 1 ? Math.max(height / 4, 1 / scale) : height;
    context.fillRect(x - grow, y - tall / 2 - grow, CARD_WIDTH + 2 * grow, tall + 2 * grow);
  };
  const groups = new Map<string, Placed[]>();
  for (const one of seen) {
    const { kind, isDim } = looks.get(one.fold.id)!;
    const color = isDim ? palette.line : palette.of[kind];
    const group = groups.get(color);
    if (group) group.push(one);
    else groups.set(color, [one]);
  }
  context.fillStyle = palette.mark;
  for (const one of seen) if (looks.get(one.fold.id)!.isFound) bar(one, 8 / scale);
  context.fillStyle = palette.accent;
  for (const one of seen) if (one.fold.ids.includes(focused ?? '')) bar(one, 3 / scale);
  for (const [color, group] of groups) {
    context.fillStyle = color;
    for (const one of group) bar(one, 0);
  }
}
