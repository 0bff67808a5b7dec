import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

export interface TabsProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly tab: T; readonly title: string }[];
  readonly selected: T;
  readonly onSelect: (tab: T) => void;
  readonly className: string;
  readonly panelClassName?: string;
  /** The content of the selected tab. */
  readonly children: ReactNode;
}

/** Tabs above the content of one of them. The arrow keys select. */
export function Tabs<T extends string>({
  label,
  tabs,
  selected,
  onSelect,
  className,
  panelClassName = '',
  children,
}: TabsProps<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ tab }) => tab === selected);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    const next = to === undefined ? undefined : tabs.at(to % tabs.length);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect(next.tab);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <div className={className}>
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        className="flex shrink-0 gap-0.5 overflow-x-auto border-b border-line px-1.5"
      >
        {tabs.map(({ tab, title }) => (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`${id}-${tab}`}
            aria-selected={tab === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab === selected ? 0 : -1}
            onClick={() => onSelect(tab)}
            onKeyDown={onKeyDown}
            className="-mb-px h-9 shrink-0 border-b-2 border-transparent px-1.5 text-sm font-medium text-soft outline-offset-[-2px] hover:text-ink aria-selected:border-accent aria-selected:text-ink pointer-coarse:h-11"
          >
            {title}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${selected}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key
        tabIndex={0}
        className={`min-h-0 grow outline-offset-[-2px] ${panelClassName}`}
      >
        {children}
      </div>
    </div>
  );
}
