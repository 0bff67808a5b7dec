import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { useNodes } from '../state/nodes.ts';
import { type InspectorTab, useView } from '../state/view.ts';
import { Loading } from '../ui/states.tsx';
import { DiffTab } from './diff-tab.tsx';
import { RawTab } from './raw-tab.tsx';
import { RequestTab } from './request-tab.tsx';
import { TreeTab } from './tree-tab.tsx';
import { UsageTab } from './usage-tab.tsx';

const TABS: readonly { readonly tab: InspectorTab; readonly title: string }[] = [
  { tab: 'tree', title: 'Tree' },
  { tab: 'raw', title: 'Raw' },
  { tab: 'diff', title: 'Diff' },
  { tab: 'usage', title: 'Usage' },
  { tab: 'request', title: 'Request' },
];

/** What is behind the selected message. `leaf` is where the path on screen ends. */
export function Inspector({ node, leaf }: { readonly node: string; readonly leaf: string }) {
  const tab = useView((view) => view.tab);
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(value) => useView.setState({ tab: value as InspectorTab })}
      className="flex h-full min-h-0 flex-col bg-surface"
    >
      <Tabs.List aria-label="Inspector" className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-2">
        {TABS.map((one) => (
          <Tabs.Tab
            key={one.tab}
            value={one.tab}
            className="-mb-px h-9 shrink-0 border-b-2 border-transparent px-2 text-sm text-soft outline-offset-[-2px] hover:text-ink data-active:border-accent data-active:font-medium data-active:text-ink"
          >
            {one.title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map((one) => (
        <Tabs.Panel key={one.tab} value={one.tab} className="min-h-0 grow outline-offset-[-2px]">
          {one.tab === tab && <Shown tab={tab} node={node} leaf={leaf} />}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}

interface ShownProps {
  readonly tab: InspectorTab;
  readonly node: string;
  readonly leaf: string;
}

function Shown({ tab, node, leaf }: ShownProps): ReactNode {
  const found = useNodes((state) => state.nodes.get(node));
  if (!found) return <Loading />;
  switch (tab) {
    case 'tree':
      return <TreeTab node={found} leaf={leaf} />;
    case 'raw':
      return <RawTab key={node} node={found} />;
    case 'diff':
      return <DiffTab key={node} node={found} />;
    case 'usage':
      return <UsageTab node={found} />;
    case 'request':
      return <RequestTab key={node} node={found} />;
  }
}
