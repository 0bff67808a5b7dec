import { Dialog as Base } from '@base-ui/react/dialog';
import { Command } from 'cmdk';
import { useState } from 'react';
import { type PalettePage, useOverlays } from '../state/overlays.ts';
import { PaletteCommands } from './palette-commands.tsx';
import { PaletteModels } from './palette-models.tsx';
import { PalettePlaces } from './palette-places.tsx';

const close = () => useOverlays.setState({ palette: undefined });

/** Everything by its name: commands, conversations, what was said, bookmarks, models. */
export default function Palette({ page }: { readonly page: PalettePage }) {
  const [query, setQuery] = useState('');
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          aria-label={page === 'models' ? 'Choose a model' : 'Search and commands'}
          className="fixed top-[10dvh] left-1/2 z-50 w-[calc(100vw-1rem)] max-w-xl -translate-x-1/2 rounded-xl border border-line bg-raised shadow-xl outline-none"
        >
          <Command shouldFilter={false} loop label="Search and commands">
            <Command.Input
              autoFocus
              value={query}
              onValueChange={setQuery}
              placeholder={page === 'models' ? 'Choose a model' : 'Search or run a command'}
              className="h-11 w-full border-b border-line bg-transparent px-4 outline-none placeholder:text-faint"
            />
            <Command.List className="max-h-[60dvh] overflow-y-auto p-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-[11px] [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-faint">
              <Command.Empty className="p-6 text-center text-soft">Nothing has these words.</Command.Empty>
              {page === 'all' && <PalettePlaces query={query} onDone={close} />}
              {page === 'all' && <PaletteCommands query={query} onDone={close} />}
              <PaletteModels query={query} isWhole={page === 'models'} onDone={close} />
            </Command.List>
          </Command>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
