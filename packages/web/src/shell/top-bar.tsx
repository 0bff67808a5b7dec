import { PanelLeft } from 'lucide-react';
import { Link } from 'wouter';
import { useView } from '../state/view.ts';
import { IconButton } from '../ui/button.tsx';

export function TopBar({ isConnected }: { readonly isConnected: boolean }) {
  const forestOpen = useView((view) => view.forestOpen);
  return (
    <header className="flex h-11 shrink-0 items-center gap-2 border-b border-line bg-surface px-2">
      <IconButton
        label={forestOpen ? 'Hide the forest' : 'Show the forest'}
        onClick={() => useView.setState({ forestOpen: !forestOpen })}
      >
        <PanelLeft size={16} />
      </IconButton>
      <Link href="/" className="flex items-center gap-1.5 rounded px-1 font-semibold">
        <img src="/skein.svg" alt="" className="size-5" />
        Skein
      </Link>
      {!isConnected && <span className="text-xs text-danger">The server cannot be reached; trying again.</span>}
    </header>
  );
}
