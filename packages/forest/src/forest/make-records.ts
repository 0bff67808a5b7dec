import type { Message } from '@skein/core';
import { type BodyRecord, type Echo, extendEcho, type NodeRecord, nodeId } from '../model/index.ts';

/** Where the next message goes: the node above it and how the chain of echoes stands there. */
export interface Place {
  readonly id: string;
  readonly depth: number;
  readonly lead: string;
  readonly echo: Echo;
}

/** The records of a message below a place, and the place below it. */
export function makeRecords(
  place: Place,
  message: Message,
  at: number,
  /** Its id, where it is known. */
  known?: string,
): { readonly node: NodeRecord; readonly body: BodyRecord; readonly next: Place } {
  const { digest, ...facts } = message.facts;
  const { dialect } = message.origin;
  const id = known ?? nodeId(place.id, dialect, digest);
  const echo = extendEcho(place.echo, message);
  const lead = echo.leading ? id : place.lead;
  const depth = place.depth + 1;
  const node: NodeRecord = {
    k: 'node',
    id,
    parent: place.id,
    depth,
    dialect,
    body: digest,
    echo: echo.text,
    lead,
    facts,
    at,
  };
  return { node, body: { k: 'body', digest, text: message.raw }, next: { id, depth, lead, echo } };
}
