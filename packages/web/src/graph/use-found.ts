import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo } from 'react';
import { queries } from '../api/queries.ts';

export interface FoundNodes {
  /** Best first. */
  readonly list: readonly string[];
  readonly ids: ReadonlySet<string>;
  readonly error: Error | null;
}

/** The nodes whose text has these words. */
export function useFound(words: string, below: string | undefined): FoundNodes {
  const q = useDeferredValue(words.trim());
  const { data, error } = useQuery({ ...queries.search(q, below), enabled: q !== '' });
  return useMemo(() => {
    const list = q === '' ? [] : (data?.items.map(({ node }) => node) ?? []);
    return { list, ids: new Set(list), error };
  }, [q, data, error]);
}
