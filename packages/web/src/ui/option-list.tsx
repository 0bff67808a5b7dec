import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

export interface Option {
  readonly id: string;
  readonly icon?: ReactNode;
  readonly text: ReactNode;
  /** At the end of the line. */
  readonly aside?: ReactNode;
  readonly run: () => void;
}

export interface OptionGroup {
  readonly heading?: string;
  readonly options: readonly Option[];
  /** Below the options of the group. */
  readonly note?: string | undefined;
}

interface OptionListProps {
  readonly label: string;
  readonly placeholder: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  readonly groups: readonly OptionGroup[];
  /** The option that the list opens at, instead of the first one. */
  readonly current?: string | undefined;
  /** Shown if there are no options. */
  readonly empty: string;
  readonly fieldClassName: string;
  readonly listClassName: string;
}

/** A field, and below it what matches. The focus stays in the field; the arrow keys choose, and Enter runs what is chosen. */
export function OptionList({
  label,
  placeholder,
  query,
  onQuery,
  groups,
  current,
  empty,
  fieldClassName,
  listClassName,
}: OptionListProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // In a dialog or popover that is already open; one that opens with the list focuses its first field itself.
  useEffect(() => field.current?.focus(), []);
  /** The option that was chosen with the keys, for the words that it was chosen for: other words begin at the first one again. */
  const [moved, setMoved] = useState<{ readonly query: string; readonly id: string }>();
  const active = moved?.query === query ? moved.id : undefined;
  const options = groups.flatMap((group) => group.options);
  const start = query === '' ? options.findIndex((option) => option.id === current) : -1;
  const found = active === undefined ? start : options.findIndex((option) => option.id === active);
  const at = Math.max(found, 0);
  const choose = (index: number) => {
    const next = options.at(index % options.length);
    if (!next) return;
    setMoved({ query, id: next.id });
    show(options.indexOf(next), 'nearest');
  };
  const show = (index: number, block: ScrollLogicalPosition) =>
    list.current?.querySelector(`#${CSS.escape(`${id}-${index}`)}`)?.scrollIntoView({ block });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words begin at the first option again, none at the current one
  useEffect(() => {
    list.current?.scrollTo({ top: 0 });
    if (start >= 0) show(start, 'center');
  }, [query, start >= 0]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || options.length === 0) return;
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: Math.min(at + 8, options.length - 1),
      PageUp: Math.max(at - 8, 0),
    }[event.key];
    if (to !== undefined) choose(to);
    else if (event.key === 'Enter') options[at]?.run();
    else return;
    event.preventDefault();
  };
  let index = 0;
  return (
    <div className="flex min-h-0 flex-col">
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={options.length > 0}
        aria-autocomplete="list"
        {...(options.length > 0 && { 'aria-controls': `${id}-list`, 'aria-activedescendant': `${id}-${at}` })}
        ref={field}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={onKeyDown}
        placeholder={placeholder}
        className={fieldClassName}
      />
      <div
        ref={list}
        // A list box without options is none.
        {...(options.length > 0 && { id: `${id}-list`, role: 'listbox', 'aria-label': label })}
        className={`overflow-y-auto ${listClassName}`}
      >
        {groups.map(({ heading, options: ofGroup, note }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a listbox
          <div key={heading ?? ''} role="group" aria-label={heading ?? label}>
            {heading && (
              <p aria-hidden className="px-2 pt-2 pb-1 text-xs font-semibold text-faint">
                {heading}
              </p>
            )}
            {ofGroup.map((option) => {
              const place = index++;
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
                <div
                  key={option.id}
                  id={`${id}-${place}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={place === at}
                  onMouseDown={(event) => event.preventDefault()}
                  onPointerMove={() => place !== at && setMoved({ query, id: option.id })}
                  onClick={option.run}
                  className="flex cursor-pointer items-center gap-2 rounded-md px-2 py-1.5 aria-selected:bg-hover pointer-coarse:min-h-11"
                >
                  {option.icon !== undefined && (
                    <span aria-hidden className="flex w-4 shrink-0 justify-center text-faint">
                      {option.icon}
                    </span>
                  )}
                  <span className="min-w-0 grow truncate">{option.text}</span>
                  {option.aside && <span className="flex shrink-0 gap-1 text-xs text-soft">{option.aside}</span>}
                </div>
              );
            })}
            {note && <p className="px-2 py-1 text-xs text-faint">{note}</p>}
          </div>
        ))}
        {options.length === 0 && (
          <p role="status" className="p-6 text-center text-soft">
            {empty}
          </p>
        )}
      </div>
    </div>
  );
}
