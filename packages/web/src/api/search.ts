import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';

export type SearchRole = 'system' | 'user' | 'assistant' | 'tool';

export interface SearchFilters {
  readonly q: string;
  readonly role?: SearchRole;
  readonly model?: string;
  readonly tag?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly until?: number;
  readonly tool?: string;
  readonly file?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly branch?: string;
}

const PAGE = 30;

/** The messages that match a search, page by page. */
export function searchPages(filters: SearchFilters) {
  return infiniteQueryOptions({
    queryKey: ['search', filters],
    queryFn: ({ pageParam }) =>
      unwrap(api.search.$get({ query: { ...filters, limit: PAGE, ...(pageParam && { after: pageParam }) } })),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
}

/** The few best matches, for the command palette. */
export function quickSearch(q: string) {
  return queryOptions({
    queryKey: ['search', 'quick', q],
    queryFn: () => unwrap(api.search.$get({ query: { q, limit: 6 } })),
    enabled: q.length > 1,
  });
}
