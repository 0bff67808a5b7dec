import type { Checkpoint, Message } from '@skein/core';

import { type TakeFacts, takeFor } from '../forest/write/append.ts';
import { makeRecords, type Place } from '../forest/write/append-point.ts';
import { nodeId, type StoreRecord, sha256 } from '../model/index.ts';
import { issuedIds } from './evidence.ts';
import type { Landing } from './landing.ts';
import { addNode, type RecordedIndex } from './recorded-index.ts';

/** What placing an exchange comes to: where it landed, and what is to be stored for that. */
export interface Placed {
  readonly exchange: string;
  readonly landing: Landing;
  readonly records: readonly StoreRecord[];
  /** The client had shortened its history. */
  readonly checkpoint?: { readonly node: string; readonly thread: string; readonly checkpoint: Checkpoint };
}

/** Hangs messages below a place, one below the other. Nodes that are there already get one more take. */
export function growPath(
  index: RecordedIndex,
  place: Place,
  messages: readonly Message[],
  take: TakeFacts & { readonly at: number },
  at = take.at,
): { readonly end: Place; readonly ids: readonly string[]; readonly records: readonly StoreRecord[] } {
  const records: StoreRecord[] = [];
  const ids: string[] = [];
  let end = place;
  for (const message of messages) {
    // What is known is not read again.
    const id = nodeId(end.id, message.origin.dialect, sha256(message.raw));
    const known = index.nodes.get(id);
    if (known) {
      records.push(takeFor(message, id, take));
      end = known.place;
    } else {
      const { node, body, next } = makeRecords(end, message, at, id);
      const isReply = message.role === 'assistant';
      const issued = isReply ? issuedIds(message) : [];
      const prover = issued.length > 0 ? id : index.nodes.get(end.id)?.prover;
      addNode(index, { place: next, parent: end.id, body: node.body, at, isReply, issued, prover });
      records.push(body, node, takeFor(message, id, take));
      end = next;
    }
    ids.push(id);
  }
  return { end, ids, records };
}
