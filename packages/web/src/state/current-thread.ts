import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Lineage } from '../api/types.ts';
import { type AddressedPlace, placeAt } from './address.ts';
import { keyOf, usePlace } from './place.ts';

/** What the address names. */
export function useAddressedPlace(): AddressedPlace | undefined {
  const [path] = useLocation();
  return placeAt(path);
}

/** The conversation on screen. */
export function useCurrentThread(): Lineage | undefined {
  const thread = useAddressedPlace()?.thread;
  const { data } = useQuery({ ...queries.thread(thread ?? ''), enabled: thread !== undefined });
  return thread === undefined ? undefined : data;
}

/** The end of the path on screen. */
export function useShownLeaf(): string | undefined {
  const { thread, node } = useAddressedPlace() ?? {};
  return usePlace(({ leafOf }) => (node === undefined ? undefined : leafOf.get(keyOf(thread, node))));
}
