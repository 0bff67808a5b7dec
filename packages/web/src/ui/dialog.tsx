import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** The button that confirms the dialog. It stands in the footer, after Cancel. */
  readonly action?: ReactNode;
  readonly wide?: boolean;
}

export function Dialog({ open, onClose, title, children, action, wide = false }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          className={`fixed top-1/2 left-1/2 z-50 flex max-h-[85dvh] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-xl border border-line bg-raised shadow-xl ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
        >
          <header className="flex items-center justify-between gap-4 border-b border-line py-2 pr-2 pl-4">
            <Base.Title className="font-semibold">{title}</Base.Title>
            {/* Without a tip: Escape would close that one first. */}
            <Base.Close
              aria-label="Close"
              className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
            >
              <X size={16} />
            </Base.Close>
          </header>
          <div className="min-h-0 overflow-y-auto p-4">{children}</div>
          {action && (
            <footer className="flex justify-end gap-2 border-t border-line p-3">
              <Button onClick={onClose}>Cancel</Button>
              {action}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
