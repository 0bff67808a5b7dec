import { create } from 'zustand';
import { t } from '../words/words.ts';

export type Theme = 'light' | 'dark' | 'system';

export const THEME_TITLES: Readonly<Record<Theme, string>> = {
  light: t('state.light'),
  dark: t('state.dark'),
  system: t('state.system-theme'),
};

const KEY = 'skein.theme';

export const useTheme = create<{ readonly theme: Theme }>(() => ({ theme: stored() }));

/** Chooses a theme. public/theme.js applies it before the page loads. */
export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  useTheme.setState({ theme });
  draw(theme);
}

/** Follows the theme of the system unless the reader chose one. */
export function followSystemTheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw(useTheme.getState().theme));
}

function draw(theme: Theme): void {
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

function stored(): Theme {
  // Unit tests load it outside a browser.
  const value = globalThis.localStorage?.getItem(KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}
