import { useQuery } from '@tanstack/react-query';
import { queries } from '../api/queries.ts';

export function useIsBookmarked(node: string): boolean {
  const { data } = useQuery({
    ...queries.bookmarks(),
    select: ({ items }) => items.some((one) => one.node === node),
  });
  return data ?? false;
}
