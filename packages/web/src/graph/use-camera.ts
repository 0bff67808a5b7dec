import { type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { type Camera, pan, type Size, zoom } from './camera.ts';

/** How far a pointer may move and still have clicked. */
const STILL = 4;

export interface Hands {
  readonly camera: RefObject<Camera>;
  readonly size: RefObject<Size>;
  readonly move: (next: Camera) => void;
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
}

/** Moves the camera by pointers, two of which zoom, and by the wheel. It is no state of React: it moves at every frame. */
export function useCamera(
  element: RefObject<HTMLElement | null>,
  redraw: () => void,
  onClick: (x: number, y: number) => void,
): Hands {
  const camera = useRef<Camera>({ left: 0, top: 0, scale: 1 });
  const size = useRef<Size>({ width: 1, height: 1 });
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(0);
  const move = (next: Camera) => {
    camera.current = next;
    redraw();
  };

  // React's own listener for the wheel may not prevent the page from zooming.
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
