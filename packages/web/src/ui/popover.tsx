import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';

export interface PopoverProps {
  /** A button. */
  readonly trigger: ReactElement;
  readonly label: string;
  readonly children: ReactNode;
  readonly side?: 'top' | 'bottom';
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
}

/** A small pane beside the button that opens it. */
export function Popover({ trigger, label, children, side = 'bottom', ...state }: PopoverProps) {
  return (
    <Base.Root {...state}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} side={side} align="start" collisionPadding={8} className="z-50">
          <Base.Popup
            aria-label={label}
            className="max-h-[70dvh] w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-raised p-3 text-sm shadow-lg"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
