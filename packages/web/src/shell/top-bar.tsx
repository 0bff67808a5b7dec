import { PanelLeft, Search } from 'lucide-react';
import { Link } from 'wouter';
import { keyLabel } from '../commands/key-names.ts';
import { openPalette, useOverlays } from '../state/overlays.ts';
import { useView } from '../state/view.ts';
import { IconButton } from '../ui/button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import { DemoBadge } from './demo-badge.tsx';
import { toggleForest } from './global-commands.ts';
import { ModelButton } from './model-button.tsx';
import { SamplesBadge } from './samples-badge.tsx';
import { SpentHere } from './spent-here.tsx';
import { StoreState } from './store-state.tsx';
import { ThemeButton } from './theme-button.tsx';

export function TopBar() {
  const isNarrow = useNarrow();
  const isBeside = useView((view) => view.forestOpen);
  const isOver = useOverlays((overlays) => overlays.forest);
  const isOpen = isNarrow ? isOver : isBeside;
  return (
    <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line bg-surface px-2 sm:gap-2">
      <IconButton
        label={isOpen ? 'Hide the forest' : 'Show the forest'}
        keys="\"
        aria-expanded={isOpen}
        onClick={() => toggleForest(isNarrow)}
      >
        <PanelLeft size={16} />
      </IconButton>
      <Link
        href="/"
        aria-label="Skein: the forest"
        className="flex shrink-0 items-center gap-1.5 rounded px-1 font-semibold"
      >
        <img src="/skein.svg" alt="" className="size-5 shrink-0" />
        <span className="max-sm:hidden">Skein</span>
      </Link>
      <DemoBadge />
      <SamplesBadge />
      <button
        type="button"
        onClick={() => openPalette()}
        className="mx-auto flex h-7 w-full max-w-md min-w-0 items-center gap-2 rounded-md border border-line bg-page px-2 text-left text-xs text-faint hover:border-line-strong"
      >
        <Search size={14} aria-hidden className="shrink-0" />
        <span className="grow truncate">Search or run a command</span>
        <span aria-hidden className="max-sm:hidden">
          <Kbd>{keyLabel('Ctrl+k')}</Kbd>
        </span>
      </button>
      <SpentHere />
      <ModelButton />
      <StoreState />
      <ThemeButton />
    </header>
  );
}
