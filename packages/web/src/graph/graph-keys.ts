import type { KeyboardEvent } from 'react';
import type { Scene } from './draw.ts';
import { firstTop, type Placed } from './layout.ts';
import { type Direction, stepFrom } from './walk.ts';
import { ZOOM_STEP } from './zoom-buttons.tsx';

export interface GraphActions {
  readonly scene: Scene;
  readonly zoomBy: (factor: number) => void;
  readonly fitAll: () => void;
  readonly focusOn: (placed: Placed) => void;
  readonly onOpen: (placed: Placed) => void;
  readonly onUnfold: (placed: Placed) => void;
  readonly onPan: (x: number, y: number) => void;
}

const PAN_STEP = 80;

const SHIFTS: Readonly<Record<Direction, readonly [number, number]>> = {
  ArrowLeft: [PAN_STEP, 0],
  ArrowRight: [-PAN_STEP, 0],
  ArrowUp: [0, PAN_STEP],
  ArrowDown: [0, -PAN_STEP],
};

/** What keys do while the graph has the focus: arrows walk from card to card, with Shift they move the view. */
export function graphKeys({ scene, zoomBy, fitAll, focusOn, onOpen, onUnfold, onPan }: GraphActions) {
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
      Home: () => focusOn(layout.placed[0]!),
      End: () => focusOn(layout.placed.at(-1)!),
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
