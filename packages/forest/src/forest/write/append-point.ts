import type { Message } from '@skein/core';
import {
  type BodyRecord,
  ECHO_START,
  type Echo,
  extendEcho,
  type NodeRecord,
  nodeId,
  ROOT,
} from '../../model/index.ts';
import type { Store } from '../../store/index.ts';
import { ForestError } from '../errors.ts';

export const ROOT_POINT: AppendPoint = { id: ROOT, depth: 0, lead: ROOT, echo: ECHO_START };

/** The place below a node. `id` is a full id. */
export async function readAppendPoint(store: Store, id: string): Promise<AppendPoint> {
  if (id === ROOT) return ROOT_POINT;
  const [node] = await store.nodes([id]);
  if (!node) throw new ForestError('unknown_node', id, `There is no node ${id} in this forest.`);
  return { id, depth: node.depth, lead: node.lead, echo: await readEcho(store, node) };
}

/** The echo chain after a node: its text is stored, the open calls are found by going up to the message that made them. */
async function readEcho(store: Store, node: NodeRecord): Promise<Echo> {
  if (node.lead === node.id) return { ...ECHO_START, text: node.echo };
  let answered = 0;
  for (let at: NodeRecord | undefined = node; at; [at] = await store.nodes([at.parent])) {
    const { calls, results } = at.facts;
    answered += results.length;
    if (calls.length > 0) return { text: node.echo, calls: calls.map(({ id }) => id), answered, leading: false };
    if (results.length === 0) break;
  }
  return { text: node.echo, calls: [], answered, leading: false };
}

/** Where the next message goes: the node above it and how the chain of echoes stands there. */
export interface AppendPoint {
  readonly id: string;
  readonly depth: number;
  readonly lead: string;
  readonly echo: Echo;
}

/** The records of a message below a place, and the place below it. */
export function makeNodeRecords(
  place: AppendPoint,
  message: Message,
  at: number,
  /** Its id, where it is known. */
  known?: string,
): { readonly node: NodeRecord; readonly body: BodyRecord; readonly next: AppendPoint } {
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
