import { X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Modal } from '../../ui/modal.tsx';
import { t } from '../../words/words.ts';

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
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={t('blocks.enlarge', { alt })}
        onClick={() => setOpen(true)}
        className="block max-w-full cursor-zoom-in! rounded-lg"
      >
        {children}
      </button>
      {isOpen && (
        <Modal onClose={() => setOpen(false)} label={alt} isBare className="m-0 h-dvh max-h-none w-screen max-w-none">
          <div className="relative flex h-full items-center justify-center p-4 sm:p-10">
            <button
              type="button"
              aria-label={t('blocks.lightbox-close')}
              onClick={() => setOpen(false)}
              className="absolute inset-0 cursor-zoom-out! outline-none"
            />
            <img
              src={src}
              alt={alt}
              className={`pointer-events-none relative max-h-full max-w-full object-contain ${isDrawing ? 'h-full w-full rounded-xl bg-surface p-6' : 'min-h-[min(50dvh,24rem)] rounded-lg'}`}
            />
            <span
              aria-hidden
              className="pointer-events-none absolute top-3 right-3 rounded-full bg-black/60 p-2 text-white"
            >
              <X size={18} />
            </span>
          </div>
        </Modal>
      )}
    </>
  );
}
