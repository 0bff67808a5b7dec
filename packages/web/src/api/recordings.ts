import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, unwrap } from './client.ts';
import type { Recording } from './types.ts';

export interface RecordingFilters {
  readonly provider?: string;
  /** Such as `4xx`. */
  readonly status?: string;
  readonly outcome?: Recording['outcome'];
  readonly tag?: string;
}

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
