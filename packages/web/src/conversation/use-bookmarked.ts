import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { queries } from '../api/queries.ts';

/** The nodes that have a bookmark. */
export function useBookmarked(): ReadonlySet<string> {
  const { data } = useQuery(queries.bookmarks());
  return useMemo(() => new Set(data?.items.map(({ node }) => node)), [data]);
}
