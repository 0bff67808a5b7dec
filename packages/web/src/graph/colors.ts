import { useEffect, useState } from 'react';
import { providerColor } from '../ui/colors.ts';
import { t } from '../words/words.ts';

/** What a colour stands for: the author of a message, and for models their provider. */
export type AuthorKind = 'user' | 'system' | 'tool' | 'anthropic' | 'openai' | 'google' | 'provider' | 'other';

export const KINDS: readonly { readonly kind: AuthorKind; readonly title: string }[] = [
  { kind: 'user', title: t('graph.role-user') },
  { kind: 'system', title: t('graph.role-system') },
  { kind: 'tool', title: t('graph.role-tool') },
  { kind: 'anthropic', title: 'Anthropic' },
  { kind: 'openai', title: 'OpenAI' },
  { kind: 'google', title: 'Google' },
  { kind: 'provider', title: t('graph.other-model') },
  { kind: 'other', title: t('graph.other') },
];

/** The CSS variable of its colour in index.css. */
export function colorVariable(kind: AuthorKind): string {
  return kind === 'other' ? '--faint' : `--${kind}`;
}

export function authorKind({
  role,
  provider,
}: {
  readonly role: string;
  readonly provider?: string | undefined;
}): AuthorKind {
  if (role === 'assistant') return providerColor(provider);
  return role === 'user' || role === 'system' || role === 'tool' ? role : 'other';
}

/** The colours of the theme as values, because a canvas cannot use CSS variables. */
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
  readonly of: Readonly<Record<AuthorKind, string>>;
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
    of: Object.fromEntries(KINDS.map(({ kind }) => [kind, get(colorVariable(kind))])) as Record<AuthorKind, string>,
  };
}
