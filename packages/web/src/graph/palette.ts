import { useEffect, useState } from 'react';
import { colorOf, KINDS, type Kind } from './kinds.ts';

/** The colours of the theme, as a canvas needs them. */
export interface Palette {
  readonly page: string;
  readonly surface: string;
  readonly line: string;
  readonly edge: string;
  readonly ink: string;
  readonly soft: string;
  readonly accent: string;
  readonly bright: string;
  readonly mark: string;
  readonly of: Readonly<Record<Kind, string>>;
}

export function usePalette(): Palette {
  const [palette, setPalette] = useState(read);
  useEffect(() => {
    const observer = new MutationObserver(() => setPalette(read()));
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => observer.disconnect();
  }, []);
  return palette;
}

function read(): Palette {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(name).trim();
  return {
    page: get('--page'),
    surface: get('--surface'),
    line: get('--line'),
    edge: get('--line-strong'),
    ink: get('--ink'),
    soft: get('--soft'),
    accent: get('--accent'),
    bright: get('--accent-soft'),
    mark: get('--mark'),
    of: Object.fromEntries(KINDS.map(({ kind }) => [kind, get(colorOf(kind))])) as Record<Kind, string>,
  };
}
