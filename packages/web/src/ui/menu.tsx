import {
  cloneElement,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { keyLabel } from '../commands/keys.ts';
import { currentKey } from '../commands/shortcuts.ts';
import { t } from '../words/words.ts';
import { Kbd } from './kbd.tsx';
import { Sheet, usePlacedPopover } from './modal.tsx';
import { type TriggerProps, useToggle } from './popover.tsx';
import { useNarrow } from './use-media.ts';

export interface MenuItem {
  readonly title: string;
  readonly icon?: ReactNode;
  readonly keys?: string;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement;
  /** `null` is a separator. A function is called when the menu opens. */
  readonly items: readonly (MenuItem | null)[] | (() => readonly (MenuItem | null)[]);
  /** The title of the sheet that a phone shows instead. */
  readonly title?: string;
  /** The edge of the button that it lines up with. */
  readonly align?: 'start' | 'end';
}

/** A menu beside its button; on a phone, a sheet with large targets and without keys. */
export function Menu({ trigger, items, title = t('ui.actions'), align = 'end' }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLElement>(null);
  return (
    <>
      {cloneElement(
        trigger as ReactElement<TriggerProps>,
        { ...useToggle(button, isOpen, setOpen), 'aria-haspopup': 'menu' } as TriggerProps,
      )}
      {isOpen && (
        <OpenMenu
          button={button}
          title={title}
          items={typeof items === 'function' ? items() : items}
          align={align}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface OpenMenuProps {
  readonly button: { readonly current: HTMLElement | null };
  readonly title: string;
  readonly items: readonly (MenuItem | null)[];
  readonly align?: 'start' | 'end';
  readonly onClose: () => void;
}

/** A menu that is open beside any element. */
export function OpenMenu({ button, title, items, align = 'end', onClose }: OpenMenuProps) {
  const isNarrow = useNarrow();
  const run = (item: MenuItem) => {
    onClose();
    button.current?.focus();
    item.run();
  };
  if (!isNarrow)
    return <PlacedMenu button={button} title={title} items={items} align={align} onClose={onClose} onRun={run} />;
  return (
    <Sheet open isShort title={title} onClose={onClose}>
      <MenuItems items={items} title={title} isLarge onRun={run} onClose={onClose} />
    </Sheet>
  );
}

function PlacedMenu(props: Required<OpenMenuProps> & { readonly onRun: (item: MenuItem) => void }) {
  const { button, title, items, align, onClose, onRun } = props;
  const box = useRef<HTMLDivElement>(null);
  usePlacedPopover(button, box, { side: 'bottom', align, onClose });
  return (
    <div
      ref={box}
      popover="auto"
      className="fixed inset-auto m-0 min-w-48 overflow-y-auto rounded-lg border border-line bg-raised p-0 text-left text-sm font-normal whitespace-nowrap text-ink shadow-lg"
    >
      <MenuItems items={items} title={title} onRun={onRun} onClose={onClose} />
    </div>
  );
}

interface MenuItemsProps {
  readonly items: readonly (MenuItem | null)[];
  readonly title: string;
  readonly isLarge?: boolean;
  readonly onRun: (item: MenuItem) => void;
  readonly onClose: () => void;
}

function MenuItems({ items, title, isLarge = false, onRun, onClose }: MenuItemsProps) {
  const list = useRef<HTMLDivElement>(null);
  const hasIcons = items.some((item) => item?.icon !== undefined);
  useEffect(() => listed(list.current)[0]?.focus(), []);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const next = nextItem(event.key, listed(list.current));
    if (event.key === 'Tab') onClose();
    if (!next) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div
      ref={list}
      role="menu"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className={`p-1 outline-none ${isLarge ? 'overflow-y-auto' : ''}`}
    >
      {items.map((item, index) =>
        item === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing else
          <hr key={`line-${index}`} className="my-1 h-px border-0 bg-line" />
        ) : (
          <button
            key={item.title}
            type="button"
            role="menuitem"
            tabIndex={-1}
            aria-disabled={item.disabled === true}
            onClick={() => !item.disabled && onRun(item)}
            onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
            className={`flex w-full items-center gap-2 rounded px-2 text-left outline-none focus:bg-hover aria-disabled:cursor-not-allowed aria-disabled:opacity-40 ${isLarge ? 'min-h-11 gap-3 px-3 text-base' : 'py-1.5'} ${item.danger ? 'text-danger' : ''}`}
          >
            {hasIcons && (
              <span aria-hidden className="flex w-4 shrink-0 justify-center">
                {item.icon}
              </span>
            )}
            <span className="grow">{item.title}</span>
            {item.keys && !isLarge && currentKey(item.keys) && <Kbd>{keyLabel(currentKey(item.keys)!)}</Kbd>}
          </button>
        ),
      )}
    </div>
  );
}

function listed(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
}

/** The item that a key leads to: arrows go round, a letter goes to the next item that begins with it. */
function nextItem(key: string, items: readonly HTMLElement[]): HTMLElement | undefined {
  const at = items.indexOf(document.activeElement as HTMLElement);
  if (key === 'ArrowDown') return items[(at + 1) % items.length];
  if (key === 'ArrowUp') return items.at(at <= 0 ? -1 : at - 1);
  if (key === 'Home') return items[0];
  if (key === 'End') return items.at(-1);
  if (!/^\p{L}$/u.test(key)) return undefined;
  const after = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return after.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
}
