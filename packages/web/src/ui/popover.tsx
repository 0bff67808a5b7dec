import { cloneElement, type ReactElement, type ReactNode, useRef, useState } from 'react';
import { reopen, usePlacedPopover } from './modal.tsx';

export interface PopoverProps {
  /** A button. */
  readonly trigger: ReactElement;
  readonly label: string;
  readonly children: ReactNode;
  readonly side?: 'top' | 'bottom';
  readonly open?: boolean;
  readonly onOpenChange?: (open: boolean) => void;
  readonly className?: string;
}

/** What the button has to pass on to its element. */
export interface TriggerProps {
  readonly ref?: unknown;
  readonly onClick?: unknown;
  readonly onPointerDown?: unknown;
}

/** A small pane beside the button that opens it. */
export function Popover({
  trigger,
  label,
  children,
  side = 'bottom',
  open,
  onOpenChange,
  className = 'w-80',
}: PopoverProps) {
  const [isOwn, setOwn] = useState(false);
  const button = useRef<HTMLElement>(null);
  const isOpen = open ?? isOwn;
  const change = (next: boolean) => {
    setOwn(next);
    onOpenChange?.(next);
  };
  return (
    <>
      {cloneElement(
        trigger as ReactElement<TriggerProps>,
        { ...useToggle(button, isOpen, change), 'aria-haspopup': 'dialog' } as TriggerProps,
      )}
      {isOpen && (
        <Pane button={button} label={label} side={side} className={className} onClose={() => change(false)}>
          {children}
        </Pane>
      )}
    </>
  );
}

/** The properties of a button that opens and closes a popover. */
export function useToggle(button: { current: HTMLElement | null }, isOpen: boolean, change: (open: boolean) => void) {
  // The press itself closes an open popover, and the click after it must not open it again.
  const wasOpen = useRef<boolean>(undefined);
  return {
    ref: button,
    'aria-expanded': isOpen,
    onPointerDown: () => {
      wasOpen.current = isOpen;
    },
    onClick: () => {
      const isByKey = wasOpen.current === undefined;
      if (!(isByKey && reopen(button.current))) change(!(wasOpen.current ?? isOpen));
      wasOpen.current = undefined;
    },
  };
}

interface PaneProps {
  readonly button: { readonly current: HTMLElement | null };
  readonly label: string;
  readonly side: 'top' | 'bottom';
  readonly className: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function Pane({ button, label, side, className, onClose, children }: PaneProps) {
  const box = useRef<HTMLDivElement>(null);
  usePlacedPopover(button, box, { side, align: 'start', onClose });
  return (
    <div
      ref={box}
      popover="auto"
      role="dialog"
      aria-label={label}
      className={`fixed inset-auto m-0 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border border-line bg-raised p-3 text-left text-sm font-normal whitespace-normal text-ink shadow-lg ${className}`}
    >
      {children}
    </div>
  );
}
