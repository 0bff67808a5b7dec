import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';

interface LightboxProps {
  readonly src: string;
  /** Names the picture. */
  readonly alt: string;
  readonly children: ReactNode;
  /** Pictures of drawings have no background of their own. */
  readonly isDrawing?: boolean;
}

/** A picture that opens over the whole page; a click or Escape closes it again. */
export function Lightbox({ src, alt, children, isDrawing = false }: LightboxProps) {
  return (
    <Base.Root>
      <Base.Trigger aria-label={`Enlarge: ${alt}`} className="block max-w-full cursor-zoom-in! rounded-lg">
        {children}
      </Base.Trigger>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/80" />
        <Base.Popup className="fixed inset-0 z-50 flex items-center justify-center p-4 outline-none sm:p-10">
          <Base.Title className="sr-only">{alt}</Base.Title>
          <Base.Close aria-label="Close the picture" className="absolute inset-0 cursor-zoom-out!" />
          <img
            src={src}
            alt={alt}
            className={`pointer-events-none relative max-h-full max-w-full object-contain ${isDrawing ? 'h-full w-full rounded-xl bg-surface p-6' : 'rounded-lg'}`}
          />
          <span
            aria-hidden
            className="pointer-events-none absolute top-3 right-3 rounded-full bg-black/60 p-2 text-white"
          >
            <X size={18} />
          </span>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
