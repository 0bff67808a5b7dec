import { useQuery } from '@tanstack/react-query';
import { useRoute } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Thread } from '../api/types.ts';
import { usePlace } from '../state/place.ts';

/** The conversation that the thread on screen belongs to: the one that ends there, or one that leads through it. */
export function useCurrentThread(): Thread | undefined {
  const [, params] = useRoute('/c/:node');
  const node = params?.node;
  const leaf = usePlace((place) => (node === undefined ? undefined : place.leafOf.get(node)));
  const { data } = useQuery({ ...queries.threadsOf(leaf ?? ''), enabled: leaf !== undefined });
  if (leaf === undefined) return undefined;
  return data?.items.find(({ head }) => head === leaf) ?? data?.items[0];
}
