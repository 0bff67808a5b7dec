import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';
import type { Recording } from './types.ts';

/** The filters of the list, as the address and the API name them. */
export const FILTER_NAMES = ['text', 'provider', 'model', 'outcome', 'minMs', 'minCost', 'tag', 'session'] as const;

export type RecordingFilters = {
  readonly [Name in Exclude<(typeof FILTER_NAMES)[number], 'outcome'>]?: string;
} & { readonly outcome?: Recording['outcome'] };

const PAGE = 100;

/** Newest first. */
export function recordingPages(filters: RecordingFilters) {
  return infiniteQueryOptions({
    queryKey: ['recordings', filters],
    queryFn: ({ pageParam }) =>
      unwrap(
        api.recordings.$get({
          query: { ...filters, order: 'newest', limit: PAGE, ...(pageParam && { after: pageParam }) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  });
}

export function recordingQuery(id: string) {
  return queryOptions({
    queryKey: ['recordings', 'one', id],
    queryFn: () => unwrap(api.recordings[':recording'].$get({ param: { recording: id } })),
  });
}
