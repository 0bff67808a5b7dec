import { useEffect, useRef } from 'react';

/** Takes files that are dropped anywhere on the page. Left to itself, a browser leaves the page for them. */
export function useDroppedFiles(take: (files: readonly File[]) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      if (event.defaultPrevented && event.type === 'drop') return;
      if (!event.dataTransfer?.types.includes('Files')) return;
      if (event.type === 'drop') latest.current([...event.dataTransfer.files]);
      event.preventDefault();
    };
    window.addEventListener('dragover', onDrag);
    window.addEventListener('drop', onDrag);
    return () => {
      window.removeEventListener('dragover', onDrag);
      window.removeEventListener('drop', onDrag);
    };
  }, []);
}
