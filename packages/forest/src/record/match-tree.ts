import type { Message } from '@skein/core';
import type { Place } from '../forest/make-records.ts';
import { extendEcho, nodeId, ROOT } from '../model/index.ts';
import { nodeByEcho, placeAt, type Tree } from './tree.ts';

export interface TreeMatch {
  readonly place: Place;
  readonly matched: number;
  readonly by: 'exact' | 'echo';
  readonly otherSystem: boolean;
}

/**
 * Where a history leads among the recorded ones, by the rule of `forest.match`: the exact chain first, then the
 * echoes of what is left. Below a given place only the exact chain counts: there a client sends nothing back.
 */
export function matchTree(tree: Tree, messages: readonly Message[], from: Place): TreeMatch {
  const ids: string[] = [];
  for (const { origin, facts } of messages) ids.push(nodeId(ids.at(-1) ?? from.id, origin.dialect, facts.digest));
  const missing = ids.findIndex((id) => !tree.nodes.has(id));
  const exact = missing < 0 ? ids.length : missing;
  const exactly = {
    place: exact === 0 ? from : placeAt(tree, ids[exact - 1]!),
    matched: exact,
    by: 'exact' as const,
    otherSystem: false,
  };
  if (exact === ids.length || from.id !== ROOT) return exactly;

  const content = messages.findIndex(({ role }) => role !== 'system');
  if (content < 0) return exactly;
  const lead = content === 0 ? ROOT : ids[content - 1]!;
  const echoes: string[] = [];
  let { echo } = from;
  for (const message of messages) {
    echo = extendEcho(echo, message);
    echoes.push(echo.text);
  }
  for (let index = messages.length - 1; index >= Math.max(exact, content); index--) {
    const found = nodeByEcho(tree, echoes[index]!, lead);
    if (!found) continue;
    return { place: found.place, matched: index + 1, by: 'echo', otherSystem: found.place.lead !== lead };
  }
  return exactly;
}
