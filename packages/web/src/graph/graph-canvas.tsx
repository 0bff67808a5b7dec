import { useEffect, useId, useRef, useState } from 'react';
import { usePreviews, wantPreviews } from '../state/previews.ts';
import { counted } from '../ui/format.ts';
import { center, filled, fit, pan, reveal, seenPlace, zoom } from './camera.ts';
import { draw, READABLE, type Scene } from './draw.ts';
import { graphKeys } from './graph-keys.ts';
import { Hover } from './hover.tsx';
import { at, firstTop, type Placed } from './layout.ts';
import { useAnchor } from './use-anchor.ts';
import { useCamera } from './use-camera.ts';
import { ZoomButtons } from './zoom-buttons.tsx';

export interface GraphCanvasProps {
  readonly scene: Scene;
  /** What is focused, in words. */
  readonly description: string;
  readonly onFocus: (id: string) => void;
  /** Enter, or a second click on what is focused. */
  readonly onOpen: (placed: Placed) => void;
  readonly onUnfold: (placed: Placed) => void;
}

/** Of a graph that is too large to be read as a whole. */
const FIRST_SCALE = 0.8;

/** The graph itself: drawn on a canvas, walked by pointer and by keys. */
export function GraphCanvas({ scene, description, onFocus, onOpen, onUnfold }: GraphCanvasProps) {
  const { layout, focused } = scene;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(scene);
  latest.current = scene;
  const isDue = useRef(false);
  const said = useId();
  const [hovered, setHovered] = useState<{ readonly placed: Placed; readonly x: number; readonly y: number }>();

  const redraw = () => {
    if (isDue.current) return;
    isDue.current = true;
    requestAnimationFrame(() => {
      isDue.current = false;
      const context = canvas.current?.getContext('2d', { alpha: false });
      if (!context) return;
      const cards = draw(context, latest.current, hands.camera.current, hands.size.current);
      wantPreviews(cards.flatMap(({ fold }) => (fold.ids.length === 1 ? [fold.id] : [])));
    });
  };
  const under = (x: number, y: number) => {
    const { left, top, scale } = hands.camera.current;
    return at(layout, (x - left) / scale, (y - top) / scale);
  };
  const hands = useCamera(frame, redraw, (x, y) => {
    const placed = under(x, y);
    if (!placed) return;
    // What the pointer is on is another card then.
    setHovered(undefined);
    if (placed.fold.ids.length > 1) onUnfold(placed);
    else if (focused === placed.fold.id) onOpen(placed);
    onFocus(placed.fold.id);
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: once; the size is kept in a reference
  useEffect(() => {
    const watcher = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      const element = canvas.current;
      // It is told once more while the screen goes away.
      if (!element) return;
      element.width = Math.round(width * devicePixelRatio);
      element.height = Math.round(height * devicePixelRatio);
      const isFirst = hands.size.current.width === 1;
      hands.size.current = { width, height };
      if (isFirst) showFirst();
      else redraw();
    });
    watcher.observe(frame.current!);
    return () => watcher.disconnect();
  }, []);
  useEffect(redraw);
  // biome-ignore lint/correctness/useExhaustiveDependencies: previews arrive outside of React
  useEffect(() => usePreviews.subscribe(redraw), []);

  const showFirst = () => {
    const size = hands.size.current;
    const whole = fit(layout, size);
    const start = layout.of.get(focused ?? '') ?? firstTop(layout);
    const isReadable = whole.scale >= READABLE || !start;
    hands.move(isReadable ? whole : filled(center({ ...whole, scale: FIRST_SCALE }, start, size), layout, size));
  };
  // Where one looked stays where it was when runs are opened above it.
  useAnchor(layout, focused, (from, to) => {
    const { left, top, scale } = hands.camera.current;
    hands.move({ scale, left: left + (from.x - to.x) * scale, top: top + (from.y - to.y) * scale });
  });

  const zoomBy = (factor: number) => {
    const { width, height } = hands.size.current;
    const { x, y } = seenPlace(layout.of.get(focused ?? ''), hands.camera.current, hands.size.current) ?? {
      x: width / 2,
      y: height / 2,
    };
    hands.move(zoom(hands.camera.current, factor, x, y));
  };
  const fitAll = () => hands.move(fit(layout, hands.size.current));
  const focusOn = (placed: Placed) => {
    onFocus(placed.fold.id);
    hands.move(reveal(hands.camera.current, placed, hands.size.current));
  };
  const onKeyDown = graphKeys({
    scene,
    zoomBy,
    fitAll,
    focusOn,
    onOpen,
    onUnfold,
    onPan: (x, y) => hands.move(pan(hands.camera.current, x, y)),
  });
  // What is focused from elsewhere, such as by a search, is brought in.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another one is focused
  useEffect(() => {
    const placed = layout.of.get(focused ?? '');
    const isFirst = hands.size.current.width === 1;
    if (placed && !isFirst && !seenPlace(placed, hands.camera.current, hands.size.current))
      hands.move(center(hands.camera.current, placed, hands.size.current));
  }, [focused]);

  return (
    <div className="relative h-full">
      <div
        ref={frame}
        role="application"
        aria-roledescription="graph"
        aria-label={`Graph with ${counted(layout.placed.length, 'card')}. Arrow keys walk, Enter opens, Space unfolds, plus and minus zoom, f fits.`}
        aria-describedby={said}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is walked by keys
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={hands.onPointerDown}
        onPointerMove={(event) => {
          hands.onPointerMove(event);
          if (event.buttons !== 0 || event.pointerType === 'touch') return setHovered(undefined);
          const { left, top } = event.currentTarget.getBoundingClientRect();
          const x = event.clientX - left;
          const y = event.clientY - top;
          const placed = under(x, y);
          setHovered((before) => (before?.placed === placed ? before : placed && { placed, x, y }));
        }}
        onPointerUp={hands.onPointerUp}
        onPointerCancel={hands.onPointerUp}
        onPointerLeave={() => setHovered(undefined)}
        className="h-full cursor-grab touch-none overflow-hidden outline-offset-[-2px] select-none active:cursor-grabbing"
      >
        <canvas ref={canvas} className="block size-full" />
      </div>
      <p id={said} aria-live="polite" className="sr-only">
        {description}
      </p>
      {hovered && <Hover {...hovered} width={hands.size.current.width} />}
      <ZoomButtons onZoom={zoomBy} onFit={fitAll} />
    </div>
  );
}
