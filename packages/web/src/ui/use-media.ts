import { useSyncExternalStore } from 'react';

/** Whether a media query matches. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = matchMedia(query);
      media.addEventListener('change', onChange);
      return () => media.removeEventListener('change', onChange);
    },
    () => matchMedia(query).matches,
  );
}

/** Whether the window is too narrow for panes side by side. */
export function useNarrow(): boolean {
  return useMedia('(max-width: 820px)');
}
