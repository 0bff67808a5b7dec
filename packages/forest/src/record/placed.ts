import type { Message } from '@skein/core';
import { takeFor } from '../forest/append.ts';
import { makeRecords, type Place } from '../forest/make-records.ts';
import type { TakeFacts } from '../forest/types.ts';
import type { StoreRecord } from '../model/index.ts';
import type { Landing } from './landing.ts';
import { addNode, type Tree } from './tree.ts';

/** What placing an exchange comes to: where it landed, and what is to be stored for that. */
export interface Placed {
  readonly exchange: string;
  readonly landing: Landing;
  readonly records: readonly StoreRecord[];
}

/** Hangs messages below a place, one below the other. Nodes that are there already get their take all the same. */
export function growTree(
  tree: Tree,
  place: Place,
  messages: readonly Message[],
  thread: string,
  take: TakeFacts & { readonly at: number },
): { readonly end: Place; readonly ids: readonly string[]; readonly records: readonly StoreRecord[] } {
  const records: StoreRecord[] = [];
  const ids: string[] = [];
  let end = place;
  for (const message of messages) {
    const { node, body, next } = makeRecords(end, message, take.at);
    if (!tree.nodes.has(node.id)) addNode(tree, { place: next, parent: end.id, at: take.at, thread });
    records.push(body, node, takeFor(message, node.id, take));
    ids.push(node.id);
    end = next;
  }
  return { end, ids, records };
}
