import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useCurrentThread } from '../state/current-thread.ts';
import { titleOf } from './title-of.ts';

/** Names the page after what it shows. */
export function useScreenTitle(): void {
  const [path] = useLocation();
  const search = useSearch();
  const thread = useCurrentThread()?.title;
  useEffect(() => {
    document.title = titleOf(path, search, thread);
  }, [path, search, thread]);
}
