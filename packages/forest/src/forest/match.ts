import type { Message } from '@skein/core';
import { ECHO_START, extendEcho, nodeId, ROOT } from '../model/index.ts';
import type { Store } from '../store/index.ts';
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
  const ids: string[] = [];
  for (const { origin, facts } of messages) ids.push(nodeId(ids.at(-1) ?? ROOT, origin.dialect, facts.digest));
  const exact = await store.deepest(ids);
  if (exact === messages.length - 1) return { node: ids.at(-1) ?? ROOT, matched: messages.length, by: 'exact' };

  const leading = messages.findIndex(({ role }) => role !== 'system');
  const start = Math.max(exact + 1, leading < 0 ? messages.length : leading);
  const echoes: string[] = [];
  let echo = ECHO_START;
  for (const [index, message] of messages.entries()) {
    echo = extendEcho(echo, message);
    if (index >= start) echoes.push(echo.text);
  }
  const found = await store.byEcho(echoes, leading > 0 ? ids[leading - 1]! : ROOT);
  if (found) return { node: found.node.id, matched: start + found.index + 1, by: 'echo' };
  return { node: exact < 0 ? ROOT : ids[exact]!, matched: exact + 1, by: 'exact' };
}
