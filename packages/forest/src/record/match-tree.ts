import type { Message } from '@skein/core';
import { echoesBehind, endsAloud, idsBelow } from '../forest/chains.ts';
import type { Place } from '../forest/make-records.ts';
import { ROOT } from '../model/index.ts';
import { nodeByEcho, placeAt, type Tree, type TreeNode } from './tree.ts';

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
  const ids = idsBelow(from.id, messages);
  let exact = 0;
  while (exact < messages.length && tree.nodes.has(ids.at(exact)!)) exact += 1;
  const place = exact === 0 ? from : placeAt(tree, ids.at(exact - 1)!);
  const exactly = { place, matched: exact, by: 'exact' as const, otherSystem: false };
  if (exact === messages.length || from.id !== ROOT) return exactly;

  const { echoes, start, systemEnd } = echoesBehind(place.echo, messages, exact);
  const lead = systemEnd === undefined ? place.lead : (ids.at(systemEnd - 1) ?? ROOT);
  for (let index = echoes.length - 1; index >= 0; index--) {
    const nearest = nodeByEcho(tree, echoes[index]!, lead);
    if (!nearest) continue;
    const found = index === echoes.length - 1 && endsAloud(echoes, place.echo) ? aboveSilent(tree, nearest) : nearest;
    return { place: found.place, matched: start + index + 1, by: 'echo', otherSystem: found.place.lead !== lead };
  }
  return exactly;
}

function aboveSilent(tree: Tree, node: TreeNode): TreeNode {
  const parent = tree.nodes.get(node.parent);
  return parent && parent.place.echo.text === node.place.echo.text ? aboveSilent(tree, parent) : node;
}
