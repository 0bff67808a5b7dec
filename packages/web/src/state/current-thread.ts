import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { queries } from '../api/queries.ts';
import type { Lineage } from '../api/types.ts';
import { type ConversationAddress, readAddress } from './address.ts';

/** The conversation and message that the address names. */
export function useConversationAddress(): ConversationAddress | undefined {
  const [path] = useLocation();
  return readAddress(path);
}

/** The conversation on screen. */
export function useCurrentThread(): Lineage | undefined {
  const thread = useConversationAddress()?.thread;
  const { data } = useQuery({ ...queries.thread(thread ?? ''), enabled: thread !== undefined });
  return thread === undefined ? undefined : data;
}
