import type { Camera, Size } from './camera.ts';
import type { AuthorKind, Palette } from './colors.ts';
import {
  CARD_HEIGHT,
  CARD_WIDTH,
  cardsBetween,
  type Layout,
  type PlacedCard,
  TITLE_HEIGHT,
  type TreeBox,
} from './layout.ts';
import { drawOverview, makeOverview } from './overview.ts';

/** How a card is drawn, apart from its position. */
export interface Look {
  readonly kind: AuthorKind;
  readonly isOnPath: boolean;
  /** Its kind is switched off in the legend. */
  readonly isDim: boolean;
  readonly isFound: boolean;
}

export interface Scene {
  readonly layout: Layout;
  readonly looks: ReadonlyMap<string, Look>;
  readonly palette: Palette;
  /** The first and second line of a card. */
  readonly words: (placed: PlacedCard) => readonly [string, string];
  readonly focused: string | undefined;
  /** The title of the tree that begins with a node. */
  readonly titleOf: (top: string) => string;
}

/** The smallest scale at which cards show text; below it they are coloured bars. */
export const READABLE = 0.4;
/** More cards than this are drawn from a picture of the whole forest. */
const MOST_DRAWN = 6000;

/** Draws what the camera sees and returns the cards whose text is drawn. */
export function draw(
  context: CanvasRenderingContext2D,
  scene: Scene,
  camera: Camera,
  size: Size,
): readonly PlacedCard[] {
  const { layout, palette } = scene;
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = palette.page;
  context.fillRect(0, 0, size.width, size.height);
  const { left, top, scale } = camera;
  context.setTransform(scale * ratio, 0, 0, scale * ratio, left * ratio, top * ratio);
  const from = (0 - left) / scale;
  const to = (size.width - left) / scale;
  const seen = cardsBetween(layout.placed, (0 - top) / scale, (size.height - top) / scale).filter(
    // The edge to a card begins at its parent, which may be the visible part.
    ({ x, parent }) => x + CARD_WIDTH >= from && (parent ? parent.x + CARD_WIDTH : x) <= to,
  );
  const trees = layout.trees.filter(
    (box) =>
      box.right >= from && box.left <= to && box.bottom * scale + top >= 0 && box.top * scale + top <= size.height,
  );
  if (seen.length > MOST_DRAWN) {
    drawOverview(context, makeOverview(scene), layout);
    drawBars(
      context,
      scene,
      seen.filter((one) => isMarked(scene, one)),
      scale,
    );
    drawTitles(context, scene, trees, camera);
    return [];
  }
  drawEdges(context, scene, seen, scale);
  if (scale < READABLE) {
    drawBars(context, scene, seen, scale);
    drawTitles(context, scene, trees, camera);
    return [];
  }
  drawTitles(context, scene, trees, camera);
  const cards = seen.filter(({ x }) => x <= to);
  for (const placed of cards) drawCard(context, scene, placed);
  return cards;
}

/** Whether a card stands out: the overview does not show that. */
function isMarked({ looks, focused }: Scene, { fold }: PlacedCard): boolean {
  const { isOnPath, isFound } = looks.get(fold.id)!;
  return isOnPath || isFound || (focused !== undefined && fold.ids.includes(focused));
}

const TITLE_SIZE = 12;

/** The titles of trees, in a size that can be read at every scale, as far as they have room. */
function drawTitles(
  context: CanvasRenderingContext2D,
  { palette, titleOf }: Scene,
  trees: readonly TreeBox[],
  { scale, left, top }: Camera,
): void {
  const ratio = devicePixelRatio;
  context.save();
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = `600 ${TITLE_SIZE}px ${FONT}`;
  context.textBaseline = 'middle';
  for (const box of trees) {
    const width = (box.right - box.left) * scale;
    const height = (box.bottom - box.top) * scale;
    if (width < 48 || height < TITLE_SIZE * 1.5) continue;
    const text = shorten(context, titleOf(box.id), Math.max(width, scale >= READABLE ? CARD_WIDTH * scale * 2 : 0));
    const x = box.left * scale + left;
    // Right above the first row of cards: at small scales it takes the room between two trees, too.
    const y = (box.top + TITLE_HEIGHT) * scale + top - TITLE_SIZE / 2 - 5;
    // On a ground of its own, because at small scales it lies over the cards.
    context.fillStyle = palette.page;
    context.globalAlpha = 0.85;
    context.fillRect(x - 2, y - TITLE_SIZE / 2 - 2, context.measureText(text).width + 4, TITLE_SIZE + 4);
    context.globalAlpha = 1;
    context.fillStyle = palette.ink;
    context.fillText(text, x, y);
  }
  context.restore();
}

function drawEdges(context: CanvasRenderingContext2D, scene: Scene, seen: readonly PlacedCard[], scale: number): void {
  const { looks, palette } = scene;
  const isOnPath = ({ fold }: PlacedCard) => looks.get(fold.id)?.isOnPath === true;
  const stroke = (placed: readonly PlacedCard[], color: string, width: number) => {
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

function edge(context: CanvasRenderingContext2D, from: PlacedCard, to: PlacedCard, isRound: boolean): void {
  const start = from.x + CARD_WIDTH;
  context.moveTo(start, from.y);
  const middle = (start + to.x) / 2;
  if (isRound) context.bezierCurveTo(middle, from.y, middle, to.y, to.x, to.y);
  else context.lineTo(to.x, to.y);
}

/** Draws cards as bars, colour by colour: thousands take a few milliseconds. */
function drawBars(context: CanvasRenderingContext2D, scene: Scene, seen: readonly PlacedCard[], scale: number): void {
  const { looks, palette, focused } = scene;
  // At least two pixels high, so that it stays visible.
  const height = Math.max(CARD_HEIGHT * 0.6, 2 / scale);
  const bar = ({ x, y, fold }: PlacedCard, grow: number) => {
    // A run is a thin line between cards.
    const tall = fold.ids.length > 1 ? Math.max(height / 4, 1 / scale) : height;
    context.fillRect(x - grow, y - tall / 2 - grow, CARD_WIDTH + 2 * grow, tall + 2 * grow);
  };
  const groups = new Map<string, PlacedCard[]>();
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

/** That of the page: a canvas does not inherit it. */
const FONT = '"Inter Variable", ui-sans-serif, system-ui, sans-serif';
const PADDING = 12;
const RADIUS = 6;

/** Draws a card with its text. A run is drawn as a pile. */
function drawCard(context: CanvasRenderingContext2D, scene: Scene, placed: PlacedCard): void {
  const { looks, palette, words, focused } = scene;
  const { fold, x, y } = placed;
  const { kind, isOnPath, isDim, isFound } = looks.get(fold.id)!;
  const top = y - CARD_HEIGHT / 2;
  context.globalAlpha = isDim ? 0.35 : 1;
  context.lineWidth = isOnPath || isFound ? 2 : 1;
  context.strokeStyle = isOnPath ? palette.accent : isFound ? palette.ink : palette.edge;
  context.fillStyle = isFound ? palette.mark : isOnPath ? palette.bright : palette.surface;
  if (fold.ids.length > 1) box(context, x + 4, top + 4);
  box(context, x, top);
  context.fillStyle = palette.of[kind];
  context.fillRect(x + 4, top + 6, 3, CARD_HEIGHT - 12);

  const [title, text] = words(placed);
  context.textBaseline = 'middle';
  context.fillStyle = palette.soft;
  context.font = `11px ${FONT}`;
  context.fillText(shorten(context, title), x + PADDING, y - 9);
  context.fillStyle = palette.ink;
  context.font = `12px ${FONT}`;
  context.fillText(shorten(context, text), x + PADDING, y + 8);
  context.globalAlpha = 1;
  if (focused === undefined || !fold.ids.includes(focused)) return;
  context.lineWidth = 2;
  context.strokeStyle = palette.accent;
  context.beginPath();
  context.roundRect(x - 4, top - 4, CARD_WIDTH + 8, CARD_HEIGHT + 8, RADIUS + 3);
  context.stroke();
}

function box(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.roundRect(x, y, CARD_WIDTH, CARD_HEIGHT, RADIUS);
  context.fill();
  context.stroke();
}

const shortened = new Map<string, string>();
const MOST_KEPT = 5000;

/** Shortens a text to a width. Measuring is slow, so results are cached. */
function shorten(context: CanvasRenderingContext2D, text: string, room = CARD_WIDTH - PADDING - 8): string {
  const key = `${context.font}\n${Math.round(room)}\n${text}`;
  const kept = shortened.get(key);
  if (kept !== undefined) return kept;
  let short = text.slice(0, 60);
  if (short.length < text.length || context.measureText(short).width > room) {
    while (short.length > 0 && context.measureText(`${short}…`).width > room) short = short.slice(0, -1);
    short = `${short.replace(/[\ud800-\udbff]$/, '')}…`;
  }
  if (shortened.size > MOST_KEPT) shortened.clear();
  shortened.set(key, short);
  return short;
}
