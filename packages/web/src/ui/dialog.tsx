import { type ReactNode, useId } from 'react';
import { t } from '../words/words.ts';
import { Button } from './button.tsx';
import { Modal, ModalHead } from './modal.tsx';

export interface DialogProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** The button that confirms the dialog. It stands in the footer, after Cancel. */
  readonly action?: ReactNode;
  readonly wide?: boolean;
}

const BODY = 'min-h-0 overflow-y-auto p-4 outline-offset-[-2px] data-opened:outline-none';

/** A dialog in the middle of the window, or at its lower edge on a phone. */
export function Dialog({ open, onClose, title, children, action, wide = false }: DialogProps) {
  const id = useId();
  if (!open) return null;
  return (
    <Modal
      onClose={onClose}
      label={{ id }}
      className={`m-auto max-h-[85dvh] w-[calc(100vw-2rem)] rounded-xl border border-line max-sm:mb-0 max-sm:w-full max-sm:max-w-full max-sm:rounded-b-none ${wide ? 'sm:max-w-3xl' : 'sm:max-w-lg'}`}
    >
      <div className="flex max-h-[85dvh] flex-col pb-[env(safe-area-inset-bottom)]">
        <ModalHead id={id} title={title} onClose={onClose} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key */}
        <section aria-label={title} tabIndex={0} className={BODY}>
          {children}
        </section>
        {action && (
          <footer className="flex shrink-0 justify-end gap-2 border-t border-line p-3">
            <Button onClick={onClose}>{t('ui.cancel')}</Button>
            {action}
          </footer>
        )}
      </div>
    </Modal>
  );
}
