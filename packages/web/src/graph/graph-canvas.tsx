import { Maximize, Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { requestPreviews, usePreviews } from '../state/previews.ts';
import { IconButton } from '../ui/button.tsx';
import { t } from '../words/words.ts';
import { center, centerOn, fillView, fit, pan, positionOnScreen, reveal, useCamera, zoom } from './camera.ts';
import { draw, READABLE, type Scene } from './draw.ts';
import { cardAt, type Direction, firstTop, type Layout, type PlacedCard, stepFrom, stepTree } from './layout.ts';
import { drawMinimap, MINIMAP, minimapPoint } from './overview.ts';

interface GraphCanvasProps {
  readonly scene: Scene;
  /** Describes the focused card to screen readers. */
  readonly description: string;
  readonly onFocus: (id: string) => void;
  /** Called on Enter, or on a second click on the focused card. */
  readonly onOpen: (placed: PlacedCard) => void;
  readonly onUnfold: (placed: PlacedCard) => void;
}

/** The initial scale of a graph that is too large to be read as a whole. */
const FIRST_SCALE = 0.8;

/** The graph on a canvas, navigated by pointer and keys. */
export function GraphCanvas({ scene, description, onFocus, onOpen, onUnfold }: GraphCanvasProps) {
  const { layout, focused } = scene;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef(scene);
  latest.current = scene;
  const minimap = useRef<HTMLCanvasElement>(null);
  const isDue = useRef(false);
  const said = useId();
  const [hovered, setHovered] = useState<{ readonly placed: PlacedCard; readonly x: number; readonly y: number }>();

  const redraw = () => {
    if (isDue.current) return;
    isDue.current = true;
    requestAnimationFrame(() => {
      isDue.current = false;
      const context = canvas.current?.getContext('2d', { alpha: false });
      if (!context) return;
      const cards = draw(context, latest.current, hands.camera.current, hands.size.current);
      const map = minimap.current?.getContext('2d');
      if (map) drawMinimap(map, latest.current, hands.camera.current, hands.size.current);
      requestPreviews(cards.flatMap(({ fold }) => (fold.ids.length === 1 ? [fold.id] : [])));
    });
  };
  const under = (x: number, y: number) => {
    const { left, top, scale } = hands.camera.current;
    return cardAt(layout, (x - left) / scale, (y - top) / scale);
  };
  const hands = useCamera(frame, redraw, (x, y) => {
    const placed = under(x, y);
    if (!placed) return;
    // Unfolding moves another card under the pointer.
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
      // The observer fires once more while the screen unmounts.
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
    hands.move(isReadable ? whole : fillView(center({ ...whole, scale: FIRST_SCALE }, start, size), layout, size));
  };
  // The focused card keeps its position on screen when runs above it unfold.
  useAnchor(layout, focused, (from, to) => {
    const { left, top, scale } = hands.camera.current;
    hands.move({ scale, left: left + (from.x - to.x) * scale, top: top + (from.y - to.y) * scale });
  });

  const zoomBy = (factor: number) => {
    const { width, height } = hands.size.current;
    const { x, y } = positionOnScreen(layout.of.get(focused ?? ''), hands.camera.current, hands.size.current) ?? {
      x: width / 2,
      y: height / 2,
    };
    hands.move(zoom(hands.camera.current, factor, x, y));
  };
  const fitAll = () => hands.move(fit(layout, hands.size.current));
  const focusOn = (placed: PlacedCard) => {
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
  // A card that is focused from elsewhere, such as by a search, is brought into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when another one is focused
  useEffect(() => {
    const placed = layout.of.get(focused ?? '');
    const isFirst = hands.size.current.width === 1;
    if (placed && !isFirst && !positionOnScreen(placed, hands.camera.current, hands.size.current))
      hands.move(center(hands.camera.current, placed, hands.size.current));
  }, [focused]);

  return (
    <div className="relative h-full">
      <div
        ref={frame}
        role="application"
        aria-roledescription={t('graph.command-words')}
        aria-label={t('graph.canvas', { count: layout.placed.length })}
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
      <Minimap
        canvas={minimap}
        onPoint={(x, y) => hands.move(centerOn(hands.camera.current, minimapPoint(layout, x, y), hands.size.current))}
      />
      <ZoomButtons onZoom={zoomBy} onFit={fitAll} />
    </div>
  );
}

/** Calls `onShift` when a new layout moves the focused card. */
function useAnchor(
  layout: Layout,
  focused: string | undefined,
  onShift: (from: PlacedCard, to: PlacedCard) => void,
): void {
  const before = useRef(layout);
  useEffect(() => {
    if (before.current === layout) return;
    const from = before.current.of.get(focused ?? '');
    const to = layout.of.get(focused ?? '');
    before.current = layout;
    if (from && to) onShift(from, to);
  });
}

/** The preview of the card under the pointer. */
function Hover({
  placed,
  x,
  y,
  width,
}: {
  readonly placed: PlacedCard;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}) {
  const { ids } = placed.fold;
  const preview = usePreviews((state) => state.of.get(placed.fold.id));
  useEffect(() => requestPreviews([placed.fold.id]), [placed.fold.id]);
  const text = ids.length > 1 ? t('graph.card-run-click', { count: ids.length }) : preview?.text;
  if (!text) return null;
  return (
    <div
      aria-hidden
      style={{ left: Math.max(8, Math.min(x + 12, width - 300)), top: y + 16 }}
      className="pointer-events-none absolute z-10 max-w-72 rounded-md border border-line bg-raised px-2 py-1 text-xs shadow-md"
    >
      {preview?.model && ids.length === 1 && <p className="text-soft">{preview.model}</p>}
      <p className="line-clamp-4 break-words">{text}</p>
    </div>
  );
}

interface GraphActions {
  readonly scene: Scene;
  readonly zoomBy: (factor: number) => void;
  readonly fitAll: () => void;
  readonly focusOn: (placed: PlacedCard) => void;
  readonly onOpen: (placed: PlacedCard) => void;
  readonly onUnfold: (placed: PlacedCard) => void;
  readonly onPan: (x: number, y: number) => void;
}

const PAN_STEP = 80;

const SHIFTS: Readonly<Record<Direction, readonly [number, number]>> = {
  ArrowLeft: [PAN_STEP, 0],
  ArrowRight: [-PAN_STEP, 0],
  ArrowUp: [0, PAN_STEP],
  ArrowDown: [0, -PAN_STEP],
};

/** The key handler of the graph: arrows move from card to card, with Shift they move the view. */
function graphKeys({ scene, zoomBy, fitAll, focusOn, onOpen, onUnfold, onPan }: GraphActions) {
  const { layout, looks, focused } = scene;
  const current = layout.of.get(focused ?? '') ?? firstTop(layout);
  const walk = (direction: Direction) => {
    const isOnPath = (id: string) => looks.get(id)?.isOnPath === true;
    if (current) focusOn(focused === undefined ? current : stepFrom(layout, current, direction, isOnPath));
  };
  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoomBy(ZOOM_STEP),
    '=': () => zoomBy(ZOOM_STEP),
    '-': () => zoomBy(1 / ZOOM_STEP),
    '0': fitAll,
    f: fitAll,
    ...(current && {
      Enter: () => (current.fold.ids.length > 1 ? onUnfold(current) : onOpen(current)),
      ' ': () => onUnfold(current),
      Home: () => focusOn(firstTop(layout)!),
      End: () => focusOn(layout.of.get(layout.trees.at(-1)!.id)!),
      PageDown: () => focusOn(stepTree(layout, current, 1)),
      PageUp: () => focusOn(stepTree(layout, current, -1)),
    }),
  };
  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const shift = SHIFTS[event.key as Direction];
    const step = shift ? () => (event.shiftKey ? onPan(...shift) : walk(event.key as Direction)) : keys[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };
}

interface MinimapProps {
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly onPoint: (x: number, y: number) => void;
}

/** The whole forest in a corner. Pressing and dragging moves the view; keys do it in the graph itself. */
function Minimap({ canvas, onPoint }: MinimapProps) {
  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    onPoint(event.clientX - left, event.clientY - top);
  };
  return (
    <canvas
      ref={canvas}
      aria-hidden
      width={MINIMAP.width * 2}
      height={MINIMAP.height * 2}
      style={{ width: MINIMAP.width, height: MINIMAP.height }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        point(event);
      }}
      onPointerMove={(event) => event.buttons > 0 && point(event)}
      className="absolute right-14 bottom-3 cursor-crosshair touch-none rounded-lg border border-line bg-raised shadow-sm max-sm:hidden"
    />
  );
}

/** The factor of one zoom step. */
const ZOOM_STEP = 1.3;

interface ZoomButtonsProps {
  readonly onZoom: (factor: number) => void;
  readonly onFit: () => void;
}

function ZoomButtons({ onZoom, onFit }: ZoomButtonsProps) {
  return (
    <div className="absolute right-3 bottom-3 flex flex-col rounded-lg border border-line bg-raised p-0.5 shadow-sm">
      <IconButton label={t('graph.zoom-in')} keys="+" onClick={() => onZoom(ZOOM_STEP)}>
        <Plus size={16} />
      </IconButton>
      <IconButton label={t('graph.zoom-out')} keys="-" onClick={() => onZoom(1 / ZOOM_STEP)}>
        <Minus size={16} />
      </IconButton>
      <IconButton label={t('graph.fit-all')} keys="f" onClick={onFit}>
        <Maximize size={16} />
      </IconButton>
    </div>
  );
}
