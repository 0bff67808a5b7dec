import { X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useLayoutEffect, useSyncExternalStore } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { useView } from '../state/view.ts';
import { IconButton } from '../ui/button.tsx';
import { Loading } from '../ui/states.tsx';

const Inspector = lazy(async () => ({ default: (await import('../inspector/inspector.tsx')).Inspector }));

export interface PanesProps {
  readonly node: string;
  readonly leaf: string;
  readonly isInspecting: boolean;
  readonly children: ReactNode;
}

/** The thread, and the inspector beside it; over it where there is no room. */
export function Panes({ node, leaf, isInspecting, children }: PanesProps) {
  const isWide = useMedia('(min-width: 1024px)');
  // Over the thread it shows only what was asked for.
  useLayoutEffect(() => {
    if (!isWide) useView.setState({ inspectorOpen: false });
  }, [isWide]);
  const layout = useDefaultLayout({
    id: 'skein.panes',
    panelIds: isInspecting ? ['thread', 'inspector'] : ['thread'],
    storage: localStorage,
  });
  const inspector = (
    <Suspense fallback={<Loading />}>
      <Inspector node={node} leaf={leaf} />
    </Suspense>
  );
  if (!isWide)
    return (
      <div className="relative min-h-0 grow">
        {children}
        {isInspecting && (
          <aside
            aria-label="Inspector"
            className="absolute inset-y-0 right-0 z-30 flex w-full max-w-md flex-col border-l border-line bg-page shadow-xl"
          >
            <IconButton
              label="Close the inspector"
              className="self-end"
              onClick={() => useView.setState({ inspectorOpen: false })}
            >
              <X size={16} />
            </IconButton>
            <div className="min-h-0 grow">{inspector}</div>
          </aside>
        )}
      </div>
    );
  return (
    <Group className="min-h-0 grow" defaultLayout={layout.defaultLayout} onLayoutChanged={layout.onLayoutChanged}>
      <Panel id="thread" minSize={360}>
        {children}
      </Panel>
      {isInspecting && (
        <>
          <Separator
            aria-label="Width of the inspector"
            className="w-px bg-line data-[separator=active]:bg-accent data-[separator=hover]:bg-accent"
          />
          <Panel id="inspector" defaultSize="34%" minSize={280}>
            <aside aria-label="Inspector" className="h-full overflow-hidden">
              {inspector}
            </aside>
          </Panel>
        </>
      )}
    </Group>
  );
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const media = matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    () => matchMedia(query).matches,
  );
}
