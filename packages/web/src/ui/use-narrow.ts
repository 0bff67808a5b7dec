import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 820px)');

function follow(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}

/** Whether there is no room for panes beside each other. */
export function useNarrow(): boolean {
  return useSyncExternalStore(follow, () => narrow.matches);
}
