import type { Message } from '@skein/core';
import { type Echo, extendEcho, nodeId, ROOT, sha256 } from '../model/index.ts';
import type { IdChain, Store } from '../store/index.ts';
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
  const ids = idsOf(messages);
  const exact = await store.deepest(ids);
  const node = ids.at(exact) ?? ROOT;
  if (exact === messages.length - 1) return { node, matched: messages.length, by: 'exact' };

  const { echo, lead } = await placeBelow(store, node);
  const { echoes, start, systemEnd } = echoesBehind(echo, messages, exact + 1);
  const leadId = systemEnd === undefined ? lead : (ids.at(systemEnd - 1) ?? ROOT);
  const found = await store.byEcho(echoes, leadId);
  if (found) return { node: found.node.id, matched: start + found.index + 1, by: 'echo' };
  return { node, matched: exact + 1, by: 'exact' };
}

/**
 * The ids of a history, each made when it is first asked for. The texts are hashed here, by Node: asking for the facts
 * of a message would parse it, too.
 */
function idsOf(messages: readonly Message[]): IdChain {
  const ids: string[] = [];
  return {
    length: messages.length,
    at(index) {
      for (const { origin, raw } of messages.slice(ids.length, index + 1))
        ids.push(nodeId(ids.at(-1) ?? ROOT, origin.dialect, sha256(raw)));
      return ids[index];
    },
  };
}

/**
 * The echoes of the messages from an index on, but for those that only continue the leading system messages; where the
 * first of them stands, and where the system messages end, if they do so here.
 */
function echoesBehind(
  from: Echo,
  messages: readonly Message[],
  index: number,
): { readonly echoes: string[]; readonly start: number; readonly systemEnd: number | undefined } {
  const echoes: string[] = [];
  let echo = from;
  let systemEnd: number | undefined;
  for (let at = index; at < messages.length; at++) {
    const wasLeading = echo.leading;
    echo = extendEcho(echo, messages[at]!);
    if (wasLeading && !echo.leading) systemEnd = at;
    if (!echo.leading) echoes.push(echo.text);
  }
  return { echoes, start: messages.length - echoes.length, systemEnd };
}
