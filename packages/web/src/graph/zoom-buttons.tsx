import { Maximize, Minus, Plus } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';

/** By how much one step of zooming is nearer. */
export const ZOOM_STEP = 1.3;

export interface ZoomButtonsProps {
  readonly onZoom: (factor: number) => void;
  readonly onFit: () => void;
}

export function ZoomButtons({ onZoom, onFit }: ZoomButtonsProps) {
  return (
    <div className="absolute right-3 bottom-3 flex flex-col rounded-lg border border-line bg-raised p-0.5 shadow-sm">
      <IconButton label="Nearer" keys="+" onClick={() => onZoom(ZOOM_STEP)}>
        <Plus size={16} />
      </IconButton>
      <IconButton label="Farther" keys="-" onClick={() => onZoom(1 / ZOOM_STEP)}>
        <Minus size={16} />
      </IconButton>
      <IconButton label="Fit all" keys="f" onClick={onFit}>
        <Maximize size={16} />
      </IconButton>
    </div>
  );
}
