import { FileDown } from 'lucide-react';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { startImport } from '../state/imports.ts';
import { toastError } from '../ui/toasts.tsx';
import { sourcesOf } from './dropped.ts';

/** Takes files and folders that are dropped anywhere on it. */
export function DropZone({ children }: { readonly children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  const enter = (event: DragEvent, by: 1 | -1) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth.current = Math.max(0, depth.current + by);
    setOver(depth.current > 0);
  };
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    sourcesOf(event.dataTransfer).then((sources) => sources.forEach(startImport), toastError);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the Import button is the first
    <div
      className="relative h-full"
      onDragEnter={(event) => enter(event, 1)}
      onDragLeave={(event) => enter(event, -1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={drop}
    >
      {children}
      {isOver && (
        <div className="pointer-events-none absolute inset-2 z-30 flex flex-col items-center justify-center gap-2 rounded-xl border-2 border-dashed border-accent bg-accent-soft/90 text-accent">
          <FileDown size={32} aria-hidden />
          <p className="font-semibold">Drop to import</p>
          <p className="text-sm">An export of ChatGPT or Claude, messages, segments, or a folder of the older layout</p>
        </div>
      )}
    </div>
  );
}
