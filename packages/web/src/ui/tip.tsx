import { useEffect, useRef, useState } from 'react';
import { keyLabel } from '../commands/keys.ts';
import { currentKey } from '../commands/shortcuts.ts';
import { Kbd } from './kbd.tsx';
import { usePlacedPopover } from './modal.tsx';

/** The properties that give an element a tooltip. */
export function tip(label: string, keys?: string) {
  return { 'data-tip': label, ...(keys !== undefined && { 'data-tip-keys': keys }) };
}

const DELAY_MS = 500;

/** The tooltip of the element under the pointer or with the focus. The page has one of them, which knows all elements. */
export function Tips() {
  const [element, setElement] = useState<HTMLElement>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting: HTMLElement | undefined;
    const aim = (target: HTMLElement | undefined, delay: number) => {
      if (target === waiting) return;
      clearTimeout(timer);
      waiting = target;
      setElement(undefined);
      if (target) timer = setTimeout(() => target.isConnected && setElement(target), delay);
    };
    const hide = () => aim(undefined, 0);
    const onOver = ({ target, pointerType }: PointerEvent) =>
      aim(pointerType === 'touch' ? undefined : tipped(target), DELAY_MS);
    const onFocus = ({ target }: FocusEvent) =>
      aim(target instanceof Element && target.matches(':focus-visible') ? tipped(target) : undefined, 0);
    const on: readonly [string, (event: never) => void][] = [
      ['pointerover', onOver],
      ['focusin', onFocus],
      ['focusout', hide],
      ['pointerdown', hide],
      ['keydown', hide],
      ['scroll', hide],
    ];
    for (const [name, listener] of on)
      document.addEventListener(name, listener as EventListener, { capture: true, passive: true });
    return () => {
      clearTimeout(timer);
      for (const [name, listener] of on)
        document.removeEventListener(name, listener as EventListener, { capture: true });
    };
  }, []);
  return element ? <OpenTip key={element.dataset.tip} element={element} /> : null;
}

function tipped(target: EventTarget | null): HTMLElement | undefined {
  return (target instanceof Element && target.closest<HTMLElement>('[data-tip]')) || undefined;
}

function OpenTip({ element }: { readonly element: HTMLElement }) {
  const button = useRef<HTMLElement>(element);
  const box = useRef<HTMLDivElement>(null);
  usePlacedPopover(button, box, { side: 'top', align: 'center', onClose: () => undefined });
  const { tip: label, tipKeys } = element.dataset;
  const keys = tipKeys === undefined ? undefined : currentKey(tipKeys);
  return (
    // Screen readers get the name of the element itself.
    <div
      ref={box}
      popover="manual"
      aria-hidden
      className="pointer-events-none fixed inset-auto m-0 flex max-w-64 items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-ink shadow-md"
    >
      {label}
      {keys !== undefined && <Kbd>{keyLabel(keys)}</Kbd>}
    </div>
  );
}
