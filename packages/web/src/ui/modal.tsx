import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react';
import { t } from '../words/words.ts';

interface ModalProps {
  readonly onClose: () => void;
  /** What names it: a text, or the id of an element. */
  readonly label: string | { readonly id: string };
  readonly className: string;
  /** Only the content is drawn, over a dark page. */
  readonly isBare?: boolean;
  readonly children: ReactNode;
}

/**
 * The browser's own modal dialog: it keeps the focus inside, closes on Escape, and gives the focus back. When it opens, the
 * focus is in its first field for text, or on what has `data-first`. `autoFocus` has no effect: the dialog is not shown yet when React looks.
 */
export function Modal({ onClose, label, className, isBare = false, children }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key can reach what is behind it.
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    focusFirst(dialog);
    return () => dialog.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it
    <dialog
      ref={element}
      {...(typeof label === 'string' ? { 'aria-label': label } : { 'aria-labelledby': label.id })}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // A click beside it lands on the dialog itself, because its content fills it.
      onClick={(event) => event.target === element.current && onClose()}
      className={`overflow-hidden p-0 text-ink outline-none ${isBare ? 'bg-transparent backdrop:bg-black/80' : 'bg-raised shadow-xl backdrop:bg-black/40'} ${className}`}
    >
      {children}
    </dialog>
  );
}

const FIELDS = 'input:not([type="radio"], [type="checkbox"], [type="file"]), textarea';

/** What opens gives the focus to the element with `data-first`, to its first field for text, or to the part that scrolls. */
function focusFirst(element: HTMLElement): void {
  const find = (selector: string) => element.querySelector<HTMLElement>(selector);
  const body = find('section[tabindex="0"]');
  const first = find('[data-first]:enabled') ?? find(FIELDS) ?? body;
  if (first && first === body) {
    // Nobody asked for a ring around all that there is; whoever comes back to it by Tab sees one.
    body.setAttribute('data-opened', '');
    body.addEventListener('blur', () => body.removeAttribute('data-opened'), { once: true });
  }
  first?.focus();
}

/** The title of a modal dialog, and the button that closes it. */
export function ModalHead({
  id,
  title,
  onClose,
}: {
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
}) {
  return (
    <div className="flex shrink-0 items-center justify-between gap-4 border-b border-line py-2 pr-2 pl-4">
      <h2 id={id} className="min-w-0 truncate font-semibold">
        {title}
      </h2>
      <button
        type="button"
        aria-label={t('ui.close')}
        onClick={onClose}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink pointer-coarse:size-10"
      >
        <X size={16} aria-hidden />
      </button>
    </div>
  );
}

export interface SheetProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** The edge of the window that it comes from. */
  readonly from?: 'bottom' | 'left';
  /** As high as its content instead of most of the window. */
  readonly isShort?: boolean;
}

const EDGES = {
  bottom: 'mx-auto mt-auto mb-0 w-full max-w-full rounded-t-2xl border-t border-line sm:max-w-xl',
  left: 'my-0 mr-auto ml-0 h-dvh max-h-dvh w-[min(20rem,88vw)] border-r border-line',
} as const;

/** A pane over the screen, for windows that are too narrow to have it beside. */
export function Sheet({ open, onClose, title, children, from = 'bottom', isShort = false }: SheetProps) {
  const id = useId();
  if (!open) return null;
  const height = from === 'left' ? '' : isShort ? 'max-h-[85dvh]' : 'h-[85dvh] max-h-[85dvh]';
  return (
    <Modal onClose={onClose} label={{ id }} className={`${EDGES[from]} ${height}`}>
      <div className={`flex flex-col pb-[env(safe-area-inset-bottom)] ${isShort ? 'max-h-[85dvh]' : 'h-full'}`}>
        <ModalHead id={id} title={title} onClose={onClose} />
        {children}
      </div>
    </Modal>
  );
}

const GAP = 6;
const EDGE = 8;

type Side = 'top' | 'bottom';
type Align = 'start' | 'center' | 'end';

/**
 * Places an open popover beside its button: on the wanted side if there is room, else on the other one. What is higher than
 * both stands at the left or right, where it has the whole height of the window.
 */
function placeBeside(button: Element, box: HTMLElement, side: Side, align: Align): void {
  box.style.maxHeight = '';
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = box;
  const below = innerHeight - bottom - GAP - EDGE;
  const above = top - GAP - EDGE;
  const isBelow = side === 'bottom' ? below >= height || below >= above : above < height && above < below;
  const room = Math.max(isBelow ? below : above, 120);
  const beside = right + GAP + width <= innerWidth - EDGE ? right + GAP : left - GAP - width;
  if (height > room && height <= innerHeight - 2 * EDGE && beside >= EDGE) {
    box.style.left = `${beside}px`;
    box.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - EDGE - height))}px`;
    return;
  }
  box.style.maxHeight = `${room}px`;
  box.style.top = `${isBelow ? bottom + GAP : Math.max(EDGE, top - GAP - Math.min(height, room))}px`;
  const wanted = { start: left, center: (left + right - width) / 2, end: right - width }[align];
  box.style.left = `${Math.max(EDGE, Math.min(wanted, innerWidth - EDGE - width))}px`;
}

/** The popover that each button opened. */
const opened = new WeakMap<Element, HTMLElement>();

/** Shows a popover again that the browser has closed, before the page heard of it; true if there was one. */
export function reopen(button: Element | null): boolean {
  const box = button ? opened.get(button) : undefined;
  if (!box?.isConnected || box.matches(':popover-open')) return false;
  box.showPopover();
  focusFirst(box);
  return true;
}

/** Shows an element above everything beside a button, until it is closed by a click elsewhere or by Escape. */
export function usePlacedPopover(
  button: RefObject<HTMLElement | null>,
  box: RefObject<HTMLElement | null>,
  { side, align, onClose }: { side: Side; align: Align; onClose: () => void },
): void {
  const latest = useRef(onClose);
  latest.current = onClose;
  // Before the effects of what it contains: a list can scroll only when it is shown.
  useLayoutEffect(() => {
    const element = box.current!;
    const place = () => button.current && placeBeside(button.current, element, side, align);
    if (button.current) opened.set(button.current, element);
    const onToggle = (event: Event) => (event as ToggleEvent).newState === 'closed' && latest.current();
    element.showPopover();
    place();
    focusFirst(element);
    const watcher = new ResizeObserver(place);
    watcher.observe(element);
    element.addEventListener('toggle', onToggle);
    window.addEventListener('resize', place);
    window.addEventListener('scroll', place, { capture: true, passive: true });
    return () => {
      watcher.disconnect();
      element.removeEventListener('toggle', onToggle);
      window.removeEventListener('resize', place);
      window.removeEventListener('scroll', place, { capture: true });
    };
  }, [button, box, side, align]);
}
