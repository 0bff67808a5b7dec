import { useEffect, useState } from 'react';
import { useTheme } from '../../state/theme.ts';
import { useMedia } from '../../ui/use-media.ts';
import { t } from '../../words/words.ts';
import { Lightbox } from './lightbox.tsx';

/** SVG as a picture: as the source of an image it runs no script and fetches nothing. */
export function Drawing({ svg, label }: { readonly svg: string; readonly label: string }) {
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return (
    <div className="flex justify-center bg-surface p-4">
      <Lightbox src={src} alt={label} isDrawing>
        <img src={src} alt={label} {...sizeOf(svg)} className="h-auto max-h-[32rem] max-w-full object-contain" />
      </Lightbox>
    </div>
  );
}

/** The size of a drawing by its view box, so that its place is known before it is drawn. */
function sizeOf(svg: string): { readonly width?: number; readonly height?: number } {
  const [, width, height] = /<svg[^>]*?\sviewBox="[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)"/.exec(svg) ?? [];
  return width === undefined ? {} : { width: Number(width), height: Number(height) };
}

/** Growing code is drawn only when it rests for this long, in milliseconds. */
const RESTING_MS = 250;

/** A Mermaid diagram. Until it can be drawn, `children` are shown. */
export function Diagram({ code, children }: { readonly code: string; readonly children: React.ReactNode }) {
  const [drawn, setDrawn] = useState<{ readonly code: string; readonly svg?: string }>();
  const theme = useTheme((state) => state.theme);
  const isSystemDark = useMedia('(prefers-color-scheme: dark)');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    let isShown = true;
    const timer = setTimeout(() => {
      // Mermaid is larger than all of the page, and few conversations have a diagram.
      import('./draw-diagram.ts')
        .then(({ drawDiagram }) => drawDiagram(code))
        .then(
          (svg) => isShown && setDrawn({ code, svg }),
          () => isShown && setDrawn({ code }),
        );
    }, RESTING_MS);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, [code, theme, isSystemDark]);
  if (drawn?.svg !== undefined) return <Drawing svg={drawn.svg} label={t('blocks.diagram')} />;
  return (
    <>
      {children}
      {drawn?.code === code && (
        <p role="note" className="border-t border-line px-3 py-1.5 text-xs text-faint">
          {t('blocks.diagram-unreadable')}
        </p>
      )}
    </>
  );
}
