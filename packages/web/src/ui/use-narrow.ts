import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 820px)');

function follow(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}

/** Whether the window is too narrow for panes side by side. */
export function useNarrow(): boolean {
  return useSyncExternalStore(follow, () => narrow.matches);
}
