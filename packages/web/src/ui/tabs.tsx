import { Tabs } from '@base-ui/react/tabs';

export interface TabListProps<T extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly tab: T; readonly title: string }[];
}

/** The titles of tabs, within a `Tabs.Root`. */
export function TabList<T extends string>({ label, tabs }: TabListProps<T>) {
  return (
    <Tabs.List aria-label={label} className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-2">
      {tabs.map(({ tab, title }) => (
        <Tabs.Tab
          key={tab}
          value={tab}
          className="-mb-px h-9 shrink-0 border-b-2 border-transparent px-2 text-sm text-soft outline-offset-[-2px] hover:text-ink data-active:border-accent data-active:font-medium data-active:text-ink"
        >
          {title}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}
