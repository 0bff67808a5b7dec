import type { Scene } from './draw.ts';
import { CARD_HEIGHT, CARD_WIDTH, type Placed } from './layout.ts';

const FONT = 'ui-sans-serif, system-ui, sans-serif';
const PADDING = 12;
const RADIUS = 6;

/** A card that can be read. A run is drawn as a pile. */
export function drawCard(context: CanvasRenderingContext2D, scene: Scene, placed: Placed): void {
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

/** Measuring is slow, so what was measured is kept. */
function shorten(context: CanvasRenderingContext2D, text: string): string {
  const key = `${context.font}\n${text}`;
  const kept = shortened.get(key);
  if (kept !== undefined) return kept;
  const room = CARD_WIDTH - PADDING - 8;
  let short = text.slice(0, 60);
  if (context.measureText(short).width > room) {
    while (short.length > 0 && context.measureText(`${short}…`).width > room) short = short.slice(0, -1);
    short = `${short.replace(/[\ud800-\udbff]$/, '')}…`;
  }
  if (shortened.size > MOST_KEPT) shortened.clear();
  shortened.set(key, short);
  return short;
}
