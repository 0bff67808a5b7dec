import { lazy, type ReactNode, Suspense, useLayoutEffect } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import { useView } from '../state/view.ts';
import { Sheet } from '../ui/modal.tsx';
import { Loading } from '../ui/states.tsx';
import { useMedia } from '../ui/use-media.ts';
import { t } from '../words/words.ts';

const Inspector = lazy(async () => ({ default: (await import('../inspector/inspector.tsx')).Inspector }));

interface PanesProps {
  readonly node: string;
  readonly leaf: string;
  readonly children: ReactNode;
}

const hide = () => useView.setState({ inspectorOpen: false });

/** The thread with the inspector beside it, or in a sheet over it if the window is narrow. */
export function Panes({ node, leaf, children }: PanesProps) {
  const isOpen = useView((view) => view.inspectorOpen);
  const isWide = useMedia('(min-width: 1024px)');
  // In a narrow window the inspector opens only on request.
  useLayoutEffect(() => {
    if (!isWide) hide();
  }, [isWide]);
  const layout = useDefaultLayout({
    id: 'skein.panes',
    panelIds: isOpen ? ['thread', 'inspector'] : ['thread'],
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
        <Sheet open={isOpen} onClose={hide} title={t('conversation.inspector-sheet')}>
          <aside aria-label={t('conversation.inspector')} className="min-h-0 grow">
            {inspector}
          </aside>
        </Sheet>
      </div>
    );
  return (
    <Group className="min-h-0 grow" defaultLayout={layout.defaultLayout} onLayoutChanged={layout.onLayoutChanged}>
      <Panel id="thread" minSize={360}>
        {children}
      </Panel>
      {isOpen && (
        <>
          <Separator
            aria-label={t('conversation.inspector-width')}
            className="w-px bg-line data-[separator=active]:bg-accent data-[separator=hover]:bg-accent"
          />
          <Panel id="inspector" defaultSize="34%" minSize={280}>
            <aside aria-label={t('conversation.inspector')} className="h-full overflow-hidden">
              {inspector}
            </aside>
          </Panel>
        </>
      )}
    </Group>
  );
}
