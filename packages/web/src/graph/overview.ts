import type { Camera, Size } from './camera.ts';
import type { Scene } from './draw.ts';
import { CARD_HEIGHT, CARD_WIDTH, type Layout } from './layout.ts';

/** A picture of the whole graph, so that a hundred thousand cards cost as little as one image. */
interface Overview {
  readonly picture: HTMLCanvasElement;
  readonly scale: number;
}

/** In pixels of the picture. */
const LARGEST = 3072;
const FINEST = 0.25;

let kept: { readonly scene: Pick<Scene, 'layout' | 'looks' | 'palette'>; readonly overview: Overview } | undefined;

/** Draws the picture, or returns the last one if nothing that it shows has changed. */
export function makeOverview({ layout, looks, palette }: Scene): Overview {
  if (kept?.scene.layout === layout && kept.scene.looks === looks && kept.scene.palette === palette)
    return kept.overview;
  const { right, bottom } = layout;
  const scale = Math.min(FINEST, LARGEST / Math.max(right, 1), LARGEST / Math.max(bottom, 1));
  const picture = kept?.overview.picture ?? document.createElement('canvas');
  picture.width = Math.max(1, Math.ceil(right * scale));
  picture.height = Math.max(1, Math.ceil(bottom * scale));
  const context = picture.getContext('2d')!;
  const [width, height] = [Math.max(1, CARD_WIDTH * scale), Math.max(1, CARD_HEIGHT * 0.6 * scale)];
  const groups = new Map<string, number[]>();
  for (const { x, y, fold } of layout.placed) {
    const { kind, isDim } = looks.get(fold.id)!;
    const color = isDim ? palette.line : palette.of[kind];
    const places = groups.get(color);
    if (places) places.push(x * scale, y * scale);
    else groups.set(color, [x * scale, y * scale]);
  }
  for (const [color, places] of groups) {
    context.fillStyle = color;
    for (let at = 0; at < places.length; at += 2)
      context.fillRect(places[at]!, places[at + 1]! - height / 2, width, height);
  }
  const overview = { picture, scale };
  kept = { scene: { layout, looks, palette }, overview };
  return overview;
}

/** Draws the picture into a context whose transform is that of the graph. */
export function drawOverview(
  context: CanvasRenderingContext2D,
  { picture }: Overview,
  { right, bottom }: Layout,
): void {
  context.imageSmoothingQuality = 'medium';
  context.drawImage(picture, 0, 0, right, bottom);
}

export const MINIMAP: Size = { width: 168, height: 112 };

function minimapScale({ right, bottom }: Layout): number {
  return Math.min(MINIMAP.width / Math.max(right, 1), MINIMAP.height / Math.max(bottom, 1));
}

/** Draws the whole graph and the part of it that is on screen. */
export function drawMinimap(context: CanvasRenderingContext2D, scene: Scene, camera: Camera, size: Size): void {
  const { layout, palette } = scene;
  const { canvas } = context;
  const ratio = canvas.width / MINIMAP.width;
  const scale = minimapScale(layout);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, MINIMAP.width, MINIMAP.height);
  context.drawImage(makeOverview(scene).picture, 0, 0, layout.right * scale, layout.bottom * scale);
  // A screen that shows more than the graph is a frame around all of it.
  const within = (place: number, most: number) => Math.min(Math.max(place, 1), most - 1);
  const x = within((-camera.left / camera.scale) * scale, MINIMAP.width);
  const y = within((-camera.top / camera.scale) * scale, MINIMAP.height);
  const right = within(((size.width - camera.left) / camera.scale) * scale, MINIMAP.width);
  const bottom = within(((size.height - camera.top) / camera.scale) * scale, MINIMAP.height);
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5;
  context.strokeRect(x, y, right - x, bottom - y);
}

/** The point of the graph under a point of the minimap. */
export function minimapPoint(layout: Layout, x: number, y: number): { readonly x: number; readonly y: number } {
  const scale = minimapScale(layout);
  return { x: x / scale, y: y / scale };
}
