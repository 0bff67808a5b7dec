import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failed, Loading } from '../ui/states.tsx';

/** Renders the data of a query, its error, or a placeholder while it loads. */
export function QueryView<T>({
  query,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}) {
  if (query.isPending) return <Loading lines={3} />;
  if (query.isError) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  return children(query.data);
}
