import type { Message } from '@skein/core';
import { type NodeRecord, ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { echoesBehind, endsAloud, idsBelow } from './chains.ts';
import { placeBelow } from './place.ts';
import { followRedirect } from './resolve.ts';
import type { Match } from './types.ts';

/** Where a history leads now: what was moved is found where it is. */
export async function matchHistory(store: Store, messages: readonly Message[]): Promise<Match> {
  const match = await matchAsWritten(store, messages);
  return { ...match, node: await followRedirect(store, match.node) };
}

/**
 * Where a history leads: the exact chain of ids first, then the echoes of what is left. N hashes and a few look-ups,
 * however many siblings there are.
 */
async function matchAsWritten(store: Store, messages: readonly Message[]): Promise<Match> {
  const ids = idsBelow(ROOT, messages);
  const exact = await store.deepest(ids);
  const node = ids.at(exact) ?? ROOT;
  if (exact === messages.length - 1) return { node, matched: messages.length, by: 'exact' };

  const { echo, lead } = await placeBelow(store, node);
  const { echoes, start, systemEnd } = echoesBehind(echo, messages, exact + 1);
  const leadId = systemEnd === undefined ? lead : (ids.at(systemEnd - 1) ?? ROOT);
  const found = await store.byEcho(echoes, leadId);
  if (!found) return { node, matched: exact + 1, by: 'exact' };
  const isWhole = found.index === echoes.length - 1;
  const at = isWhole && endsAloud(echoes, echo) ? await aboveSilent(store, found.node) : found.node;
  return { node: at.id, matched: start + found.index + 1, by: 'echo' };
}

async function aboveSilent(store: Store, node: NodeRecord): Promise<NodeRecord> {
  const [parent] = await store.nodes([node.parent]);
  return parent?.echo === node.echo ? aboveSilent(store, parent) : node;
}
