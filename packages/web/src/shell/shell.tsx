import { lazy, type ReactNode, Suspense, useEffect, useLayoutEffect } from 'react';
import { listenToKeys } from '../commands/keys.ts';
import { ExportDialog } from '../forest/export-dialog.tsx';
import { followChanges } from '../state/changes.ts';
import { useConnection } from '../state/connection.ts';
import { useOverlays } from '../state/overlays.ts';
import { useView } from '../state/view.ts';
import { Toasts } from '../ui/toasts.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { ConversationHeading } from './conversation-heading.tsx';
import { useGlobalCommands } from './global-commands.ts';
import { HelpSheet } from './help-sheet.tsx';
import { useScreenTitle } from './screen-title.ts';
import { SideBar } from './side-bar.tsx';
import { SidePane } from './side-pane.tsx';
import { TopBar } from './top-bar.tsx';

const Palette = lazy(() => import('./palette.tsx'));

/** What is around every screen. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const isConnected = useConnection((connection) => connection.isConnected);
  const forestOpen = useView((view) => view.forestOpen);
  const isNarrow = useNarrow();
  const palette = useOverlays((overlays) => overlays.palette);
  useEffect(followChanges, []);
  useLayoutEffect(listenToKeys, []);
  useGlobalCommands();
  useScreenTitle();
  return (
    <div className="flex h-full flex-col">
      <a
        href="#screen"
        className="absolute top-1 left-1 z-50 -translate-y-20 rounded-md bg-accent px-3 py-1.5 font-medium text-accent-ink focus:translate-y-0"
      >
        Skip to the content
      </a>
      <TopBar />
      {!isConnected && <ConnectionBanner />}
      <div className="flex min-h-0 grow">
        {isNarrow ? <SidePane /> : forestOpen && <SideBar />}
        <main id="screen" tabIndex={-1} className="min-w-0 grow outline-none">
          <ConversationHeading />
          {children}
        </main>
      </div>
      {palette && (
        <Suspense fallback={null}>
          <Palette page={palette} />
        </Suspense>
      )}
      <HelpSheet />
      <ExportDialog />
      <Toasts />
    </div>
  );
}
