import type { Message } from '@skein/core';
import { ECHO_START, type Echo, extendEcho } from '../../model/echo.ts';
import { nodeId, ROOT } from '../../model/ids.ts';
import type { BodyRecord, NodeRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { ForestError } from '../errors.ts';

/** Where a message can be appended: the parent node, and the echo chain up to it. */
export interface AppendPoint {
  readonly id: string;
  readonly depth: number;
  readonly lead: string;
  readonly echo: Echo;
}

export const ROOT_POINT: AppendPoint = { id: ROOT, depth: 0, lead: ROOT, echo: ECHO_START };

/** Reads the append point below a node. `id` is a full id. */
export async function readAppendPoint(store: Store, id: string): Promise<AppendPoint> {
  if (id === ROOT) return ROOT_POINT;
  const [node] = await store.nodes([id]);
  if (!node) throw new ForestError('unknown_node', id, `There is no node ${id} in this forest.`);
  return { id, depth: node.depth, lead: node.lead, echo: await readEcho(store, node) };
}

/** Reads the echo chain after a node. Its text is stored; the open calls are found by going up to the message with the calls. */
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

/** Makes the records of a message at an append point, and the append point below it. */
export function makeNodeRecords(
  point: AppendPoint,
  message: Message,
  at: number,
  /** The id of the node, when the caller knows it. */
  known?: string,
): { readonly node: NodeRecord; readonly body: BodyRecord; readonly next: AppendPoint } {
  const { digest, ...facts } = message.facts;
  const { dialect } = message.origin;
  const id = known ?? nodeId(point.id, dialect, digest);
  const echo = extendEcho(point.echo, message);
  const lead = echo.leading ? id : point.lead;
  const depth = point.depth + 1;
  const node: NodeRecord = {
    k: 'node',
    id,
    parent: point.id,
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
