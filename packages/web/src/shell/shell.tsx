import { type ReactNode, useEffect, useState } from 'react';
import { listenToKeys } from '../commands/keys.ts';
import { followChanges } from '../state/changes.ts';
import { useView } from '../state/view.ts';
import { Toasts } from '../ui/toasts.tsx';
import { SideBar } from './side-bar.tsx';
import { TopBar } from './top-bar.tsx';

/** What is around every screen. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const [isConnected, setConnected] = useState(true);
  const forestOpen = useView((view) => view.forestOpen);
  useEffect(() => followChanges(setConnected), []);
  useEffect(listenToKeys, []);
  return (
    <div className="flex h-full flex-col">
      <TopBar isConnected={isConnected} />
      <div className="flex min-h-0 grow">
        {forestOpen && <SideBar />}
        <main className="min-w-0 grow">{children}</main>
      </div>
      <Toasts />
    </div>
  );
}
