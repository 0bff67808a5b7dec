import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { CARD_WIDTH, type Layout, type PlacedCard } from './layout.ts';

/** The view of the graph: its point (x, y) is drawn at (x · scale + left, y · scale + top). */
export interface Camera {
  readonly left: number;
  readonly top: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const SMALLEST = 0.004;
const LARGEST = 2;
const MARGIN = 32;

/** A camera that shows the whole graph, at most at its natural size. */
export function fit({ left, right, top, bottom }: Layout, { width, height }: Size): Camera {
  const wide = Math.max(right - left, 1);
  const tall = Math.max(bottom - top, 1);
  const scale = inRange(Math.min((width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / tall, 1));
  return {
    scale,
    left: (width - wide * scale) / 2 - left * scale,
    top: (height - tall * scale) / 2 - top * scale,
  };
}

/** Zooms by a factor around a point of the screen. */
export function zoom({ left, top, scale }: Camera, factor: number, x: number, y: number): Camera {
  const next = inRange(scale * factor);
  const by = next / scale;
  return { scale: next, left: x - (x - left) * by, top: y - (y - top) * by };
}

export function pan(camera: Camera, x: number, y: number): Camera {
  return { ...camera, left: camera.left + x, top: camera.top + y };
}

/** Moves the camera just far enough that a card is on the screen. */
export function reveal(camera: Camera, { x, y }: PlacedCard, { width, height }: Size): Camera {
  const left = x * camera.scale + camera.left;
  const right = left + CARD_WIDTH * camera.scale;
  const middle = y * camera.scale + camera.top;
  return pan(
    camera,
    left < MARGIN ? MARGIN - left : Math.min(0, width - MARGIN - right),
    middle < 2 * MARGIN ? 2 * MARGIN - middle : Math.min(0, height - 2 * MARGIN - middle),
  );
}

/** Moves the camera so that a card is in the middle. */
export function center(camera: Camera, { x, y }: PlacedCard, { width, height }: Size): Camera {
  return {
    scale: camera.scale,
    left: width / 2 - (x + CARD_WIDTH / 2) * camera.scale,
    top: height / 2 - y * camera.scale,
  };
}

/** Moves the camera so that a point of the graph is in the middle. */
export function centerOn(
  { scale }: Camera,
  { x, y }: { readonly x: number; readonly y: number },
  { width, height }: Size,
): Camera {
  return { scale, left: width / 2 - x * scale, top: height / 2 - y * scale };
}

/** Moves the camera so that no edge shows empty space while something lies beyond the opposite edge. A graph that fits is centred. */
export function fillView(camera: Camera, { left, right, top, bottom }: Layout, { width, height }: Size): Camera {
  const { scale } = camera;
  return {
    scale,
    left: inside(camera.left, MARGIN - left * scale, width - MARGIN - right * scale),
    top: inside(camera.top, MARGIN - top * scale, height - MARGIN - bottom * scale),
  };
}

function inside(value: number, most: number, least: number): number {
  return least > most ? (least + most) / 2 : Math.min(most, Math.max(least, value));
}

/** The position of a card on the screen; undefined if it is not visible. */
export function positionOnScreen(
  placed: PlacedCard | undefined,
  { left, top, scale }: Camera,
  { width, height }: Size,
): { readonly x: number; readonly y: number } | undefined {
  if (!placed) return undefined;
  const x = (placed.x + CARD_WIDTH / 2) * scale + left;
  const y = placed.y * scale + top;
  return x >= 0 && x <= width && y >= 0 && y <= height ? { x, y } : undefined;
}

function inRange(scale: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, scale));
}

/** The movement in pixels up to which a press still counts as a click. */
const STILL = 4;

interface CameraControls {
  readonly camera: RefObject<Camera>;
  readonly size: RefObject<Size>;
  readonly move: (next: Camera) => void;
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
}

/** Moves the camera by pointer (two pointers zoom) and by wheel. It is a ref and not state, because it changes every frame. */
export function useCamera(
  element: RefObject<HTMLElement | null>,
  redraw: () => void,
  onClick: (x: number, y: number) => void,
): CameraControls {
  const camera = useRef<Camera>({ left: 0, top: 0, scale: 1 });
  const size = useRef<Size>({ width: 1, height: 1 });
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const move = (next: Camera) => {
    camera.current = next;
    redraw();
  };

  // React registers wheel listeners as passive, so they could not prevent the page from zooming.
  useEffect(() => {
    const target = element.current;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = target!.getBoundingClientRect();
      const at = camera.current;
      if (event.ctrlKey || event.metaKey)
        move(zoom(at, Math.exp(-event.deltaY / 200), event.clientX - left, event.clientY - top));
      else if (event.shiftKey) move(pan(at, -event.deltaY - event.deltaX, 0));
      else move(pan(at, -event.deltaX, -event.deltaY));
    };
    target?.addEventListener('wheel', onWheel, { passive: false });
    return () => target?.removeEventListener('wheel', onWheel);
  });

  const place = ({ clientX, clientY, currentTarget }: PointerEvent) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };

  return {
    camera,
    size,
    move,
    onPointerDown(event) {
      event.currentTarget.setPointerCapture(event.pointerId);
      if (pointers.current.size === 0) moved.current = 0;
      pointers.current.set(event.pointerId, place(event));
    },
    onPointerMove(event) {
      const before = pointers.current.get(event.pointerId);
      if (!before) return;
      const now = place(event);
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1];
      pointers.current.set(event.pointerId, now);
      moved.current += Math.hypot(now.x - before.x, now.y - before.y);
      if (moved.current <= STILL) return;
      if (!other) return move(pan(camera.current, now.x - before.x, now.y - before.y));
      const factor = Math.hypot(now.x - other.x, now.y - other.y) / Math.hypot(before.x - other.x, before.y - other.y);
      const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
      move(pan(zoom(camera.current, factor || 1, middle.x, middle.y), (now.x - before.x) / 2, (now.y - before.y) / 2));
    },
    onPointerUp(event) {
      const last = pointers.current.get(event.pointerId);
      pointers.current.delete(event.pointerId);
      if (last && moved.current <= STILL && event.type === 'pointerup') onClick(last.x, last.y);
    },
  };
}
