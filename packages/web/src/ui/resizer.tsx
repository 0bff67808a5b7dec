import type { KeyboardEvent, PointerEvent } from 'react';

export interface ResizerProps {
  readonly label: string;
  readonly width: number;
  readonly least: number;
  readonly most: number;
  /** Which of its neighbours it makes wider when it is moved to the right. */
  readonly of: 'left' | 'right';
  readonly onResize: (width: number) => void;
}

const STEP = 16;

/** The line between two panes: to be dragged, or moved with the arrow keys. */
export function Resizer({ label, width, least, most, of, onResize }: ResizerProps) {
  const sign = of === 'left' ? 1 : -1;
  const set = (wanted: number) => onResize(Math.round(Math.min(most, Math.max(least, wanted))));
  const drag = (down: PointerEvent<HTMLElement>) => {
    const line = down.currentTarget;
    line.setPointerCapture(down.pointerId);
    const move = (event: globalThis.PointerEvent) => set(width + sign * (event.clientX - down.clientX));
    const end = () => line.removeEventListener('pointermove', move);
    line.addEventListener('pointermove', move);
    line.addEventListener('lostpointercapture', end, { once: true });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    set(width + sign * (event.key === 'ArrowRight' ? STEP : -STEP));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line that can be moved; <hr> cannot have the focus
    <div
      role="separator"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={press}
      className="relative z-10 -mx-1 w-2 shrink-0 cursor-col-resize touch-none after:absolute after:inset-y-0 after:left-1/2 after:w-px after:bg-line hover:after:w-0.5 hover:after:bg-accent"
    />
  );
}
