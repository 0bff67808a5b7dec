import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import { useOverlays } from '../state/overlays.ts';
import { IconButton } from '../ui/button.tsx';
import { SideContent } from './side-content.tsx';

const close = () => useOverlays.setState({ forest: false });

/** The forest over the screen, where there is no room beside it. */
export function SidePane() {
  const isOpen = useOverlays((overlays) => overlays.forest);
  const [place] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere wants to see it
  useEffect(close, [place]);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup className="fixed inset-y-0 left-0 z-50 flex w-[min(20rem,88vw)] flex-col bg-page shadow-xl outline-none">
          <header className="flex h-11 shrink-0 items-center justify-between border-b border-line pr-2 pl-4">
            <Base.Title className="font-semibold">Forest</Base.Title>
            <IconButton label="Close the forest" onClick={close}>
              <X size={16} />
            </IconButton>
          </header>
          <nav aria-label="Forest" className="flex min-h-0 grow flex-col">
            <SideContent />
          </nav>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
